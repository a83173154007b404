/** The built console's files below /web/app/, precompressed by the build. Only files that were there at the start exist. */
import { open, readdir, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { immutable } from './headers.ts'

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

/** In order of preference: what a client accepts, and how the build names it. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

interface StaticFile {
  path: string
  type: string
  /** Encoding ('' = as it is) → size in bytes. */
  sizes: Map<string, number>
}

/** Names relative to the folder, with slashes. Nothing is found by joining a path that a client sent. */
export async function indexFiles(folder: string): Promise<Map<string, StaticFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []) // not built
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
  const known = new Set(names)
  const files = new Map<string, StaticFile>()
  for (const name of names) {
    if (encodings.some(([, suffix]) => name.endsWith(suffix) && known.has(name.slice(0, -suffix.length)))) continue
    const path = join(folder, name)
    const sizes = new Map([['', (await stat(path)).size]])
    for (const [encoding, suffix] of encodings) if (known.has(name + suffix)) sizes.set(encoding, (await stat(path + suffix)).size)
    files.set(name, { path, type: types[extname(name)] ?? 'application/octet-stream', sizes })
  }
  return files
}

export function serveStatic(app: FastifyInstance, files: ReadonlyMap<string, StaticFile>): void {
  app.route<{ Params: { '*': string } }>({
    method: ['GET', 'HEAD'],
    url: '/web/app/*',
    handler: (request, reply) => {
      const name = request.params['*']
      const file = files.get(`app/${name}`) ?? files.get(name)
      return file && name !== 'index.html' ? sendFile(file, request, reply) : reply.callNotFound()
    },
  })
}

async function sendFile(file: StaticFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const accepted = new Set(
    (request.headers['accept-encoding'] ?? '')
      .split(',')
      .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
      .map((part) => part.split(';')[0]?.trim()),
  )
  const [encoding, suffix] = encodings.find(([name]) => accepted.has(name) && file.sizes.has(name)) ?? ['', '']
  // Opened before anything is promised: a new build may have taken the file away since the start.
  const content = await open(file.path + suffix).catch(ifGone)
  if (!content) {
    reply.callNotFound()
    return reply
  }
  reply
    .headers({ 'cache-control': immutable, 'content-length': String(file.sizes.get(encoding) ?? 0), vary: 'Accept-Encoding' })
    .type(file.type)
  if (encoding !== '') reply.header('content-encoding', encoding)
  if (request.method !== 'HEAD') return reply.send(content.createReadStream())
  await content.close()
  return reply.send('')
}

function ifGone(error: NodeJS.ErrnoException): FileHandle | undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}

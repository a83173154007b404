/**
 * What a machine that joins is given: the built agent with the Node that this proxy runs on, as one archive. It is packed
 * when somebody first asks, kept below the data directory, and the same for the same parts, whichever proxy packed it.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import type { Pack } from 'tar-stream'
import { notImplemented } from '../errors.ts'

export interface PackedAgent {
  readonly file: string
  readonly size: number
  /** Of the archive, in hex. */
  readonly sha256: string
}

export interface AgentPackage {
  /** The one kind of machine that it runs on: `linux-x64`. */
  readonly target: string
  /** Packs it when it is first asked for. An installation without a built agent is refused with 501, and told how to build one. */
  ready(): Promise<PackedAgent>
}

export interface AgentPackageOptions {
  /** The built agent: everything in it is packed. */
  agentDir: string
  /** Archives are kept here; older ones are removed. */
  cacheDir: string
  /** Which Node goes with it. */
  node?: string
}

interface Part {
  name: string
  path: string
  size: number
  executable: boolean
}

/** Packing better than this takes longer than it saves. */
const gzipLevel = 4
/** The same parts give the same archive. */
const epoch = new Date(0)

export function createAgentPackage({ agentDir, cacheDir, node = process.execPath }: AgentPackageOptions): AgentPackage {
  const target = `${process.platform}-${process.arch}`
  let packing: Promise<PackedAgent> | undefined

  async function build(): Promise<PackedAgent> {
    const parts = await partsOf(agentDir, await realpath(node))
    const key = await hashOfParts(parts)
    const file = join(cacheDir, `agent-${target}-${key.slice(0, 16)}.tar.gz`)
    const known = await stat(file).catch(() => undefined) // not packed yet
    if (!known) await write(parts, file)
    return { file, size: (known ?? (await stat(file))).size, sha256: await hashOfFile(file) }
  }

  return {
    target,
    ready() {
      const running = (packing ??= build())
      // The next one who asks tries again.
      running.catch(() => {
        if (packing === running) packing = undefined
      })
      return running
    },
  }
}

async function partsOf(agentDir: string, node: string): Promise<Part[]> {
  const entries = await readdir(agentDir, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const parts = await Promise.all(files.map((path) => partOf(relative(agentDir, path).split(sep).join('/'), path)))
  if (!parts.some(({ name }) => name === 'agent.mjs'))
    throw notImplemented('this proxy has no agent to hand out: run "npm start" once, or "node scripts/build-agent.ts"')
  return [await partOf('bin/node', node), ...parts.toSorted((a, b) => (a.name < b.name ? -1 : 1))]
}

async function partOf(name: string, path: string): Promise<Part> {
  const { size, mode } = await stat(path)
  return { name, path, size, executable: (mode & 0o111) !== 0 }
}

/** Two parts that differ have different hashes; Node itself is large, and known by its version. */
async function hashOfParts(parts: readonly Part[]): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  for (const { name, path, size, executable } of parts)
    hash.update(`${name}\0${size}\0${executable}\0${name === 'bin/node' ? '' : await hashOfFile(path)}\n`)
  return hash.digest('hex')
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

async function write(parts: readonly Part[], file: string): Promise<void> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // What an earlier version, or a proxy that was killed, left behind.
  for (const name of await readdir(folder)) await rm(join(folder, name), { force: true })
  const draft = `${file}.new`
  const archive = pack()
  await Promise.all([pipeline(archive, createGzip({ level: gzipLevel }), createWriteStream(draft, { mode: 0o600 })), fill(archive, parts)])
  await rename(draft, file)
}

async function fill(archive: Pack, parts: readonly Part[]): Promise<void> {
  for (const { name, path, size, executable } of parts) {
    const entry = archive.entry({ name, size, mode: executable ? 0o755 : 0o644, mtime: epoch })
    await pipeline(createReadStream(path), entry)
  }
  archive.finalize()
}

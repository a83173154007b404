/** `sallyport get`, `create` and `rm`: resources as YAML documents. */
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { ask } from '../admin-client.ts'
import { CommandError } from '../command-error.ts'
import { dataDirOf } from '../data-dir.ts'

export async function getResources(what: string, options: { withSecrets?: boolean; dataDir?: string }): Promise<void> {
  const { kind, name } = splitReference(what)
  const { documents } = await ask(dataDirOf(options), adminCalls.readResources, {
    kind,
    withSecrets: options.withSecrets ?? false,
    ...(name !== undefined && { name }),
  })
  process.stdout.write(documents.map(({ content }) => content).join('---\n'))
}

export async function createResources(options: { filename: string; force?: boolean; dataDir?: string }): Promise<void> {
  const content = await contentOf(options.filename)
  const parts = partsOf(content)
  if (parts.length === 0) throw new CommandError(`${nameOf(options.filename)} holds no document.`)
  const { saved } = await ask(dataDirOf(options), adminCalls.saveResources, { parts, force: options.force ?? false })
  for (const { kind, name, outcome } of saved) console.log(`${kind} "${name}" ${outcome}`)
}

export async function removeResource(what: string, options: { dataDir?: string }): Promise<void> {
  const { kind, name } = splitReference(what)
  if (name === undefined) throw new CommandError(`Name what to remove, such as ${kind}/name.`)
  const removed = await ask(dataDirOf(options), adminCalls.removeResource, { kind, name })
  console.log(`${removed.kind} "${removed.name}" removed`)
}

/** `kind` or `kind/name`; a name may hold slashes itself. */
function splitReference(what: string): { kind: string; name: string | undefined } {
  const slash = what.indexOf('/')
  if (slash === -1) return { kind: what, name: undefined }
  const name = what.slice(slash + 1)
  if (slash === 0 || name === '')
    throw new CommandError(`"${what}" is no reference: give a kind, or a kind and a name such as role/access.`)
  return { kind: what.slice(0, slash), name }
}

/** What one request part holds at most, unless a single document is larger. */
const partLength = 128 * 1024

/** The documents of a text, several short ones together. A line that begins with three dashes always begins a document. */
export function partsOf(content: string): string[] {
  const parts: string[] = []
  let part = ''
  for (const document of content.split(/^(?=---(?:\s|$))/m)) {
    if (part !== '' && part.length + document.length > partLength) {
      parts.push(part)
      part = ''
    }
    part += document
  }
  return [...parts, part].filter((text) => text.trim() !== '')
}

const nameOf = (filename: string): string => (filename === '-' ? 'The input' : filename)

async function contentOf(filename: string): Promise<string> {
  if (filename === '-') return text(process.stdin)
  try {
    return await readFile(filename, 'utf8')
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT' ? 'there is no such file' : 'it cannot be read'
    throw new CommandError(`${filename}: ${reason}.`, { cause })
  }
}

/** Files over the `scp` program of servers that have no SFTP. */
import type { AppError } from '../../../core/errors.ts'
import { accessDenied, badParameter, notFound } from '../../../core/errors.ts'
import type { SshConnection } from '../client.ts'
import { SshError } from '../ssh-error.ts'
import { hasWildcard } from '../../../core/glob.ts'
import { createdMode, directoryRefusal, failed, manyMatches, nameTaken, noMatch, plainWords } from './remote-file.ts'
import type { RemoteSource, RemoteTarget, TargetRequest } from './remote-file.ts'
import { fromHome, joinPath, quoteForShell } from './remote-path.ts'
import { ScpStream } from './scp-stream.ts'

const ok = '\0'

/** Our scripts speak the protocol too: a refusal begins with the byte 1 and is one of these words. */
const refusals = { many: 'sallyport: many', none: 'sallyport: none', taken: 'sallyport: taken', directory: 'sallyport: directory' } as const
const refuse = (text: string): string => String.raw`printf '\001%s\n' ${quoteForShell(text)}; exit 1`

/** A pattern for the shell: `*` and `?` keep their meaning, all else is quoted. */
const quotePattern = (path: string): string =>
  path
    .split(/([*?])/)
    .map((part) => (part === '*' || part === '?' || part === '' ? part : quoteForShell(part)))
    .join('')

/** Tells first which file it is, ended by a zero byte, which no path holds. */
const tellPath = String.raw`printf '%s\000' "$(readlink -f "$p" 2>/dev/null || printf %s "$p")"`

function sourceScript(path: string): string {
  const find = [
    `if [ ! -e "$p" ]; then set -- ${quotePattern(path)}`,
    `if [ "$#" -gt 1 ]; then ${refuse(refusals.many)}; fi`,
    `if [ ! -e "$1" ]; then ${refuse(refusals.none)}; fi`,
    'p=$1; fi',
  ]
  return [`p=${quoteForShell(path)}`, ...(hasWildcard(path) ? find : []), tellPath, 'exec scp -f "$p"'].join('\n')
}

/** What fails after the file was made takes it away again, also when nobody is there any more to ask for it. */
function targetScript(location: string, { filename, overwrite, createFolders }: TargetRequest): string {
  const isFolder = location.endsWith('/')
  return [
    `p=${quoteForShell(location)}`,
    createFolders ? 'mkdir -p "$p"' : '',
    `if [ -d "$p" ]; then p=${quoteForShell(joinPath(location, filename))}`,
    isFolder ? `else ${refuse('No such file or directory')}; fi` : 'fi',
    `if [ -d "$p" ]; then ${refuse(refusals.directory)}; fi`,
    overwrite ? '' : `if [ -e "$p" ]; then ${refuse(refusals.taken)}; fi`,
    tellPath,
    'if [ -e "$p" ]; then exec scp -t "$p"; fi',
    'scp -t "$p" || { s=$?; rm -f "$p"; exit $s; }',
  ]
    .filter((line) => line !== '')
    .join('\n')
}

const start = async (connection: SshConnection, script: string): Promise<ScpStream> =>
  new ScpStream(await connection.exec(`sh -c ${quoteForShell(script)}`))

/** The program's words, as what they mean to the person who asked. */
function refusalOf(words: string, path: string): AppError {
  const text = plainWords(words)
  if (text === refusals.many) return manyMatches(path, 'several')
  if (text === refusals.none) return noMatch(path)
  if (text === refusals.taken) return nameTaken(path)
  if (text === refusals.directory || /not a regular file|is a directory/i.test(text)) return directoryRefusal(path)
  if (/no such file/i.test(text)) return notFound(`"${path}" does not exist on the server`)
  if (/permission denied/i.test(text)) return accessDenied(`the server does not let this login use "${path}"`)
  return failed(path, text || 'it gave no reason')
}

/** The path that the script tells. */
async function readPath(stream: ScpStream, asked: string): Promise<string> {
  const first = await stream.byte()
  if (first === undefined) throw noScp(stream.errors)
  if (first === 1) throw refusalOf(await stream.line(), asked)
  return String.fromCharCode(first) + (await stream.line(0))
}

/** The byte with which the other side answers each step; what is no success is thrown. */
async function takeAnswer(stream: ScpStream, path: string): Promise<void> {
  const byte = await stream.byte()
  if (byte === 0) return
  if (byte === 1 || byte === 2) throw refusalOf(await stream.line(), path)
  if (byte !== undefined) await stream.line()
  throw noScp(stream.errors)
}
const noScp = (words: string): AppError =>
  badParameter(
    `the server can neither SFTP nor scp, so no files can be copied; install sftp-server or scp there${words === '' ? '' : ` (it says: ${words})`}`,
  )

/** Throws AppError, SshError. */
export async function openScpSource(connection: SshConnection, location: string): Promise<RemoteSource> {
  const stream = await start(connection, sourceScript(fromHome(location)))
  try {
    const path = await readPath(stream, location)
    // The other side waits to be told to begin.
    await stream.send(ok)
    const size = await readHeader(stream, location)
    return {
      path,
      size,
      modified: undefined,
      canSeek: false,
      async *read() {
        await stream.send(ok)
        yield* stream.bytes(size, location)
        await takeAnswer(stream, location)
        await stream.send(ok)
      },
      close: () => Promise.resolve(stream.close()),
    }
  } catch (error) {
    stream.close()
    throw error
  }
}

/** `C0644 SIZE NAME`, before which times may be told. */
async function readHeader(stream: ScpStream, path: string): Promise<number> {
  const kind = await stream.byte()
  if (kind === undefined) throw noScp(stream.errors)
  const line = await stream.line()
  if (kind === 1 || kind === 2) throw refusalOf(line, path)
  const size = Number(/^[0-7]{4} (\d{1,16}) /.exec(line)?.[1] ?? NaN)
  if (kind !== 'C'.charCodeAt(0) || !Number.isSafeInteger(size)) throw failed(path, 'what it answered is no scp')
  return size
}

/** Throws AppError, SshError. */
export async function openScpTarget(connection: SshConnection, request: TargetRequest): Promise<RemoteTarget> {
  const { location, size } = request
  if (size === undefined) throw badParameter('this server has no SFTP, so the file has to be the body itself, not a part of a form')
  const stream = await start(connection, targetScript(fromHome(location), request))
  let path = location.endsWith('/') ? joinPath(location, request.filename) : location
  try {
    path = await readPath(stream, path)
    await takeAnswer(stream, path)
    // The name is given by the path; scp asks for one all the same, and it may hold no line break.
    await stream.send(`C0${createdMode.toString(8)} ${size} file\n`)
    await takeAnswer(stream, path)
  } catch (error) {
    stream.close()
    throw error
  }
  return {
    path,
    async write(bytes) {
      void stream.closed.then(() => bytes.destroy(new SshError('connection-lost', 'The server ended the file transfer.')))
      let sent = 0
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        await stream.send(chunk)
        sent += chunk.length
      }
      await stream.send(ok)
      await takeAnswer(stream, path)
      stream.close()
      return sent
    },
    discard: () => Promise.resolve(stream.close()),
  }
}

/** Asks the proxy that runs on this machine, through the socket in its data directory. */
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { z } from 'zod'
import { adminSocketName, type AdminCall } from '@sallyport/wire/admin.ts'
import { errorBodyWire } from '@sallyport/wire/errors.ts'
import { CommandError } from './command-error.ts'

/** Long enough for a verification of a large audit log. */
const patience = 10 * 60_000

/** Rejects with a CommandError when the proxy does not run, is another user's, or refuses. */
export async function ask<C extends AdminCall>(dataDir: string, call: C, body: z.input<C['body']>): Promise<z.output<C['answer']>> {
  const { status, content } = await exchange(join(dataDir, adminSocketName), dataDir, call, body)
  const json = parsed(content)
  if (status !== 200) {
    const refusal = errorBodyWire.safeParse(json)
    throw new CommandError(refusal.success ? refusal.data.error.message : `The proxy answered ${status}.`)
  }
  const answer = call.answer.safeParse(json)
  if (!answer.success)
    throw new CommandError(
      'The proxy answered in a form that is not known here: restart it, so that it runs the same version as this command.',
    )
  // The schema is the call's own; the compiler does not follow that through the union of calls.
  return answer.data as z.output<C['answer']>
}

/** Copies the answer to a path into a stream as it comes. Rejects like `ask`; what was written by then stays. */
export async function download(dataDir: string, path: string, into: Writable): Promise<void> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request({ socketPath: join(dataDir, adminSocketName), path, timeout: patience }, resolve)
    outgoing.on('timeout', () => outgoing.destroy(new CommandError('The proxy did not answer: look into its log.')))
    outgoing.on('error', (error) => reject(unreachable(error, dataDir)))
    outgoing.end()
  })
  if (answer.statusCode === 200) return pipeline(answer, into, { end: into !== process.stdout })
  const refusal = errorBodyWire.safeParse(parsed(await text(answer)))
  throw new CommandError(refusal.success ? refusal.data.error.message : `The proxy answered ${answer.statusCode}.`)
}

function exchange(socketPath: string, dataDir: string, call: AdminCall, body: unknown): Promise<{ status: number; content: string }> {
  return new Promise((resolve, reject) => {
    const sent = body === undefined ? undefined : JSON.stringify(body)
    const headers = sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) }
    // A connection for each: after a restart another process answers.
    const outgoing = request({ socketPath, agent: false, method: call.method, path: call.path, headers, timeout: patience }, (answer) => {
      text(answer).then((content) => resolve({ status: answer.statusCode ?? 0, content }), reject)
    })
    outgoing.on('timeout', () => outgoing.destroy(new CommandError('The proxy did not answer: look into its log.')))
    outgoing.on('error', (error) => reject(unreachable(error, dataDir)))
    outgoing.end(sent)
  })
}

function unreachable(error: NodeJS.ErrnoException, dataDir: string): Error {
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED')
    return new CommandError(
      `No proxy runs with the data directory ${dataDir}: start it with \`npm start\`, or name its directory with --data-dir.`,
      { cause: error },
    )
  if (error.code === 'EACCES')
    return new CommandError(`The proxy of ${dataDir} belongs to another user: run this command as that user.`, { cause: error })
  return error
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

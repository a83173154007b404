/** A device that enrolls or proves itself over the outer connection of somebody who is signed in: lines of JSON on one channel. */
import { deviceLineMax, deviceProof, deviceRequest } from '@sallyport/wire/device-trust.ts'
import type { DeviceAnswerInput } from '@sallyport/wire/device-trust.ts'
import type { ServerChannel } from 'ssh2'
import type { z } from 'zod/mini'
import type { DeviceCeremony, Prover } from '../../../core/device-trust/ceremony.ts'
import { AppError, badParameter } from '../../../core/errors.ts'
import type { Log } from '../../../core/log.ts'
import { publicText } from '../connect-node.ts'

/** Chips are slow, and somebody may have to enter something; but nobody is away for longer. */
const ceremonyTime = 60_000

export interface DeviceChannelDeps {
  ceremony: DeviceCeremony
  log: Log
}

/** Owns the channel. Never rejects. */
export async function serveDevice({ ceremony, log }: DeviceChannelDeps, channel: ServerChannel, prover: Prover): Promise<void> {
  const say = (line: { challenge: string } | DeviceAnswerInput): void => void channel.write(`${JSON.stringify(line)}\n`)
  channel.on('error', () => undefined) // a close follows
  const late = setTimeout(() => channel.destroy(), ceremonyTime)
  const lines = linesOf(channel)
  try {
    const begun = await ceremony.begin(await read(lines, deviceRequest), prover)
    say({ challenge: begun.challenge })
    const { signature } = await read(lines, deviceProof)
    say(await begun.finish(Buffer.from(signature, 'base64')))
    channel.exit(0)
  } catch (error) {
    if (!(error instanceof Gone)) say({ error: publicText(error, log) })
    channel.exit(1)
  } finally {
    clearTimeout(late)
    channel.end()
    // Input that is still on its way must not keep the channel open.
    await lines.return(undefined)
    channel.resume()
  }
}

class Gone extends Error {}

async function read<S extends z.ZodMiniType>(lines: AsyncIterator<string>, schema: S): Promise<z.output<S>> {
  const { value, done } = await lines.next()
  if (done) throw new Gone('the client ended before it had said everything')
  const parsed = schema.safeParse(readJson(value))
  if (!parsed.success) throw badParameter('this client speaks another version: take the "sallyport" of this cluster')
  return parsed.data
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined // no schema takes it
  }
}

async function* linesOf(channel: ServerChannel): AsyncGenerator<string, undefined> {
  let held = ''
  try {
    for await (const chunk of channel.iterator({ destroyOnReturn: false })) {
      held += String(chunk)
      for (let at = held.indexOf('\n'); at !== -1; at = held.indexOf('\n')) {
        yield held.slice(0, at)
        held = held.slice(at + 1)
      }
      if (held.length > deviceLineMax) throw badParameter('the line is too long')
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    // The connection broke, which is like its end.
  }
  return undefined
}

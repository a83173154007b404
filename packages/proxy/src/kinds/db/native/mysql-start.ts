/** The start of a connection with a MySQL client: the way here has said who it is, so whatever it offers as a password is passed over. */
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import {
  cachingSha2,
  can,
  fastProof,
  greeting as greetingOf,
  nativePassword,
  readClientStart,
  switchPlugin,
} from '@sallyport/protocols/mysql/handshake.ts'
import type { ClientStart, Greeting } from '@sallyport/protocols/mysql/handshake.ts'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { badParameter } from '../../../core/errors.ts'
import { agreedUpon } from '../mysql/mysql-protocol.ts'
import { PacketSource } from '../mysql/read-packet.ts'

export interface Started {
  start: ClientStart
  /** Number of the packet that says how it ends. */
  sequence: number
}

/** Twenty bytes, none of them zero. */
const newScramble = (): Buffer => randomBytes(20).map((byte) => (byte % 255) + 1) as Buffer

/** Rejects with AppError, also when the client goes away. */
export async function startMysql(stream: Duplex, server: Greeting, id: number): Promise<Started> {
  try {
    return await converse(stream, server, id)
  } catch (error) {
    throw error instanceof ProtocolError ? badParameter(error.message, { cause: error }) : error
  }
}

async function converse(stream: Duplex, server: Greeting, id: number): Promise<Started> {
  const offered = agreedUpon(server)
  stream.write(greetingOf({ version: server.version, id, ...offered, plugin: nativePassword }, newScramble()))
  const source = new PacketSource(stream, 1)
  const { body, sequence } = await source.read()
  const said = readClientStart(body)
  const start = {
    ...said,
    capabilities: (said.capabilities & offered.capabilities) >>> 0,
    extended: (said.extended & offered.extended) >>> 0,
  }
  const canSwitch = (start.capabilities & can.pluginAuth) !== 0
  if (!canSwitch || start.plugin === nativePassword) return { start, sequence: sequence + 1 }
  // Later clients know the one, MariaDB's know the other.
  const plugin = start.plugin === cachingSha2 ? cachingSha2 : nativePassword
  stream.write(switchPlugin(sequence + 1, plugin, newScramble()))
  source.skip(sequence + 2)
  const { body: proof } = await source.read()
  if (plugin === nativePassword || proof.length <= 1) return { start, sequence: sequence + 3 }
  stream.write(fastProof(sequence + 3))
  return { start, sequence: sequence + 4 }
}

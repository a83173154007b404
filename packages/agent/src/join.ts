/** How this machine becomes a host of a cluster: a token and its own key for a certificate. */
import { createPublicKey } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { hostname as systemHostname } from 'node:os'
import { hostProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { formatPublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { joinHost } from '@sallyport/wire/calls/join.ts'
import { errorBodyWire } from '@sallyport/wire/errors.ts'
import { servedRoles } from '@sallyport/wire/tunnel.ts'
import { AgentError } from './agent-error.ts'
import { saveCredentials } from './credentials.ts'
import { openHostKeys } from './identity.ts'
import { writeSettings } from './settings.ts'
import type { Settings } from './settings.ts'
import { connectProxy } from './tunnel/proxy-socket.ts'

export interface JoinOptions {
  readonly dataDir: string
  readonly token: string
  /** Kept for the agent; the first proxy is asked. */
  readonly settings: Settings
}

const answerTimeout = 30_000
const answerLimit = 256 * 1024

/** Writes the settings and the identity of this host. Throws AgentError. */
export async function joinCluster({ dataDir, token, settings }: JoinOptions): Promise<{ hostId: string; cluster: string }> {
  const { hostId, privateKey } = await openHostKeys(dataDir)
  const body = {
    token,
    host_id: hostId,
    hostname: settings.hostname ?? systemHostname(),
    role: roleOf(settings),
    public_key: formatPublicKey(createPublicKey(privateKey)),
    proof: signSsh(privateKey, hostProof('join', token, hostId)).toString('base64'),
  }
  const { status, text } = await post(settings, JSON.stringify(body))
  if (status !== 200) throw new AgentError(`The proxy does not let this machine in: ${refusalOf(text) ?? `it answers ${status}`}.`)
  const answer = joinHost.out.safeParse(jsonOf(text))
  if (!answer.success) throw new AgentError(`${settings.proxies[0]} answers, but not as a proxy of ours: check the address.`)
  const { labels: _given, ...news } = answer.data
  await saveCredentials(dataDir, news, privateKey)
  await writeSettings(dataDir, settings)
  return { hostId, cluster: news.cluster }
}

function roleOf({ ssh, resources: [first], databases }: Settings): string {
  if (!ssh && first) return servedRoles[first.kind]
  return !ssh && databases ? servedRoles.db : 'Node'
}

async function post(settings: Settings, body: string): Promise<{ status: number; text: string }> {
  const [origin = ''] = settings.proxies
  const signal = AbortSignal.timeout(answerTimeout)
  const socket = await connectProxy(origin, settings, ['http/1.1'], signal)
  const headers = {
    host: new URL(origin).host,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const asked = request({ method: joinHost.method, path: joinHost.path, headers, signal, createConnection: () => socket })
  asked.end(body)
  try {
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, text: await readAll(answer) }
  } catch (cause) {
    throw new AgentError(`The proxy ${origin} did not answer: ${cause instanceof Error ? cause.message : ''}.`, { cause })
  } finally {
    socket.destroy()
  }
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of answer as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > answerLimit) throw new Error('the answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function refusalOf(text: string): string | undefined {
  const parsed = errorBodyWire.safeParse(jsonOf(text))
  return parsed.success ? parsed.data.error.message.replace(/\.$/u, '') : undefined
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no answer of ours
  }
}

/** Those who want to be taken for an agent, and agents that turn against their proxy. */
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { performServerHandshake } from 'node:http2'
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { introduce } from '@sallyport/agent/tunnel/handshake.ts'
import { readLine } from '@sallyport/agent/tunnel/read-line.ts'
import { formatCertificate, issueCertificate, parseCertificateLine } from '@sallyport/protocols/ssh/certificate.ts'
import { hostProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { createAgentTunnels } from '@sallyport/proxy/core/tunnel/agent-tunnels.ts'
import type { AgentTunnels } from '@sallyport/proxy/core/tunnel/agent-tunnels.ts'
import { memoryStreamPair } from '@sallyport/proxy/core/tunnel/memory-stream.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { agentPaths, challengeWire, handshakeLineLimit, tunnelPath, tunnelProtocol, verdictWire } from '@sallyport/wire/tunnel.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { joinLocalHost, startAgentCluster } from './cluster-with-agents.ts'
import type { AgentCluster, LocalHost } from './cluster-with-agents.ts'

/** With an error or without. */
const closed = (stream: Duplex): Promise<unknown> => new Promise((resolve) => stream.once('close', resolve))

let cluster: AgentCluster
let host: LocalHost
beforeAll(async () => {
  cluster = await startAgentCluster()
  host = await joinLocalHost(cluster)
})
afterAll(async () => {
  await host[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

/** A connection on which the proxy waits for an agent. */
async function upgraded(): Promise<Socket> {
  const socket = connect(cluster.proxy().address.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${tunnelPath} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: ${tunnelProtocol}\r\n\r\n`)
  for (let line = ''; line !== '\r';) line = await readLine(socket, 1000)
  return socket
}

type Hello = Record<string, unknown>
/** A hello that counts, for a challenge. */
async function helloFor(challenge: { cluster: string; nonce: string }, binding: Uint8Array = new Uint8Array()): Promise<Hello> {
  const credentials = await host.credentials()
  const instance = randomUUID()
  const proof = hostProof('tunnel', challenge.cluster, Buffer.from(challenge.nonce, 'base64'), binding, host.hostId, instance)
  return {
    hostId: host.hostId,
    instance,
    hostname: 'host',
    version: '0',
    certificate: credentials.certificateLine(),
    signature: signSsh(credentials.privateKey, proof).toString('base64'),
  }
}

/** What the proxy decides about a hello. */
async function verdictOf(change: (hello: Hello, challenge: { cluster: string; nonce: string }) => Hello | Promise<Hello>) {
  const socket = await upgraded()
  const challenge = challengeWire.parse(JSON.parse(await readLine(socket, handshakeLineLimit)))
  socket.write(`${JSON.stringify(await change(await helloFor(challenge), challenge))}\n`)
  const verdict = verdictWire.parse(JSON.parse(await readLine(socket, handshakeLineLimit)))
  socket.destroy()
  return verdict
}
const refused = (reason: RegExp) => ({ status: 'refused', reason: expect.stringMatching(reason) as string, later: false })

describe('without the key of a host nobody is one', () => {
  test('the right hello counts, and counts once', async () => {
    let kept: Hello = {}
    expect(await verdictOf((hello) => (kept = hello))).toEqual({ status: 'ok' })
    expect(await verdictOf(() => kept)).toEqual(refused(/not signed with the key/))
  })

  test('another id, another instance, another key, no signature', async () => {
    const other = generateKeyPairSync('ed25519').privateKey
    const cases: ((hello: Hello, challenge: { cluster: string; nonce: string }) => Hello)[] = [
      (hello) => ({ ...hello, hostId: randomUUID() }),
      (hello) => ({ ...hello, instance: randomUUID() }),
      (hello) => ({ ...hello, signature: signSsh(other, randomBytes(64)).toString('base64') }),
      (hello, { cluster: name, nonce }) => {
        // Signed as a request to join is.
        const proof = hostProof('join', name, Buffer.from(nonce, 'base64'), '', host.hostId, String(hello['instance']))
        return { ...hello, signature: signSsh(other, proof).toString('base64') }
      },
    ]
    for (const change of cases) expect(await verdictOf(change)).toEqual(refused(/not signed with the key/))
    expect(await verdictOf((hello) => ({ ...hello, signature: '' }))).toMatchObject({ status: 'refused' })
  })

  test('certificates of another authority, of a host as an authority, of people, and of a host that nobody knows', async () => {
    const { authorities } = cluster.proxy()
    const key = generateKeyPairSync('ed25519').privateKey
    const credentials = await host.credentials()
    const now = Math.floor(Date.now() / 1000)
    const spec = { kind: 'host', serial: 1n, keyId: 'x', principals: [host.hostId], validAfter: now - 60, validBefore: now + 3600 } as const
    const stranger = randomUUID()
    const cases = [
      [host.hostId, issueCertificate(key, generateKeyPairSync('ed25519').privateKey, spec), /not a trusted authority/],
      [host.hostId, issueCertificate(key, credentials.privateKey, spec), /not a trusted authority/],
      [host.hostId, authorities.userCa.sign(key, { ...spec, kind: 'user' } as never), /not a trusted authority/],
      [host.hostId, authorities.hostCa.sign(key, { ...spec, principals: ['another'] }), /good for another/],
      // Signed by the right authority, but never joined, or with another key than the host that did.
      [stranger, authorities.hostCa.sign(key, { ...spec, principals: [stranger] }), /not known to this cluster with this key; join again/],
      [host.hostId, authorities.hostCa.sign(key, spec), /not known to this cluster with this key; join again/],
    ] as const
    for (const [hostId, certificate, reason] of cases) {
      const verdict = await verdictOf(({ instance }, { cluster: name, nonce }) => {
        const proof = hostProof('tunnel', name, Buffer.from(nonce, 'base64'), new Uint8Array(), hostId, String(instance))
        const signature = signSsh(key, proof).toString('base64')
        return { hostId, instance, hostname: 'x', version: '0', certificate: formatCertificate(certificate), signature }
      })
      expect(verdict).toEqual(refused(reason))
    }
  })

  test('a certificate whose authority is itself a certificate is refused unread', async () => {
    const own = parseCertificateLine((await host.credentials()).certificateLine())
    const nested = Buffer.from(own.blob)
    // The authority's key is replaced by the whole certificate of a host.
    const at = nested.lastIndexOf(Buffer.from('0000000b7373682d65643235353139', 'hex'), own.signed.length)
    const length = Buffer.alloc(4)
    length.writeUInt32BE(own.blob.length)
    const forged = Buffer.concat([nested.subarray(0, at - 4), length, own.blob, nested.subarray(own.signed.length)])
    const verdict = await verdictOf((hello) => ({ ...hello, certificate: `${own.algorithm} ${forged.toString('base64')}` }))
    expect(verdict).toEqual(refused(/signed by a certificate, which is not allowed/))
  })

  test('a proof made for one TLS connection is good for no other', async () => {
    await using secure = await startAgentCluster({ tls: true })
    await using member = await joinLocalHost(secure)
    const socket = connectTls({
      port: secure.proxy().address.port,
      host: 'localhost',
      rejectUnauthorized: false,
      ALPNProtocols: [tunnelProtocol],
    })
    await once(socket, 'secureConnect')
    const introduction = { instance: randomUUID(), hostname: 'host', version: '0', credentials: await member.credentials() }
    const withoutBinding = introduce({ kind: 'tls', stream: socket, binding: new Uint8Array() }, introduction)
    await expect(withoutBinding).rejects.toThrow('not signed with the key of the certificate')
    socket.destroy()
  })
})

describe('what is no hello', () => {
  test.each([
    ['nothing of JSON', 'hello\n'],
    ['another form', '{"hostId":"x"}\n'],
    ['a line without an end', 'x'.repeat(handshakeLineLimit + 2)],
    ['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s is refused, and the connection closed', async (_what, sent) => {
    const socket = await upgraded()
    await readLine(socket, handshakeLineLimit)
    socket.write(sent)
    expect(JSON.parse(await text(socket))).toMatchObject({ status: 'refused' })
  })

  const tunnelsThat = (limits: { handshakeWithin?: number; handshakesAtOnce?: number }) => {
    const { authorities } = cluster.proxy()
    return createAgentTunnels({
      authorities,
      hosts: {
        find: () => Promise.resolve(undefined),
        withMatchers: () => Promise.resolve([]),
        claim: () => Promise.resolve(false),
        renew: () => Promise.resolve(),
      },
      certificates: {} as never,
      inventory: { heartbeat: () => Promise.resolve() },
      locks: { require: () => undefined, watch: () => ({ [Symbol.dispose]: () => undefined }) },
      tunnels: { register: () => ({ [Symbol.dispose]: () => undefined }) },
      clock: Date,
      log: createLog('silent'),
      clusterName: 'sallyport',
      pingEvery: () => 1000,
      ...limits,
    })
  }
  const arrive = (tunnels: AgentTunnels, said = ''): Duplex => {
    const [near, far] = memoryStreamPair()
    far.on('error', () => {}).resume()
    tunnels.accept({ stream: near, address: '' })
    far.write(said)
    return far
  }

  test('of more that stall than there is room for, the oldest go', async () => {
    await using tunnels = tunnelsThat({ handshakesAtOnce: 2 })
    const [first, second] = [arrive(tunnels), arrive(tunnels)]
    arrive(tunnels)
    await closed(first)
    expect(second.destroyed).toBe(false)
    arrive(tunnels)
    await closed(second)
  })

  test('silence, and a hello in drops, is cut when its time is over', async () => {
    await using tunnels = tunnelsThat({ handshakeWithin: 50 })
    const streams = ['', '{"hostId":'].map((said) => arrive(tunnels, said))
    await Promise.all(streams.map(closed))
    expect(tunnels.count()).toBe(0)
  })

  test('hundreds who never speak keep no agent out', async () => {
    const silent = await Promise.all(Array.from({ length: 300 }, upgraded))
    await using member = await joinLocalHost(cluster)
    await using _agent = await member.startAgent()
    await member.log.logged('connected')
    for (const socket of silent) socket.destroy()
  })
})

/** An agent that is accepted and then does what the test says. */
async function turncoat(
  serve: (stream: ServerHttp2Stream, path: string | undefined, session: ServerHttp2Session) => void,
): Promise<Duplex> {
  const socket = await upgraded()
  const introduction = { instance: randomUUID(), hostname: 'host', version: '0', credentials: await host.credentials() }
  await introduce({ kind: 'upgrade', stream: socket, binding: new Uint8Array() }, introduction)
  const session: ServerHttp2Session = performServerHandshake(socket as never)
  const isIn = Promise.withResolvers<void>()
  session
    .on('error', () => {})
    .on('stream', (stream, headers) => {
      stream.on('error', () => {})
      // What it does may end the connection before anybody has seen it.
      void isIn.promise.then(() => serve(stream, headers[':path'], session))
    })
  await expect.poll(() => cluster.proxy().dialer.isConnected(host.hostId)).toBe(true)
  isIn.resolve()
  return socket
}
const dial = (): Promise<Duplex> => cluster.proxy().dialer.dial({ hostId: host.hostId }, AbortSignal.timeout(20_000))

describe('an agent that turns against its proxy', () => {
  test.each<[string, (stream: ServerHttp2Stream) => void]>([
    ['heartbeats of no form', (stream) => stream.write('{"hostname":1}\n')],
    ['a heartbeat that is no JSON', (stream) => stream.write('x\n')],
    ['a heartbeat without an end', (stream) => stream.write('x'.repeat(200_000))],
    ['the end of its heartbeats', (stream) => stream.end()],
    ['10,000 labels', (stream) => stream.write(`${JSON.stringify({ hostname: 'x', os: '', version: '', labels: manyLabels })}\n`)],
  ])('with %s loses its connection', async (_what, attack) => {
    const socket = await turncoat((stream, path) => {
      if (path !== agentPaths.heartbeats) return stream.close()
      stream.respond({ ':status': 200 })
      attack(stream)
    })
    await closed(socket)
    await expect.poll(() => cluster.proxy().dialer.isConnected(host.hostId)).toBe(false)
  })

  test('with an answer to a dial that is none: the dial fails in words, the proxy goes on', async () => {
    const answers: ((stream: ServerHttp2Stream) => void)[] = [
      (stream) => stream.respond({ ':status': 500 }, { endStream: true }),
      (stream) => stream.respond({ ':status': 403, 'sallyport-refusal': 'x'.repeat(300) }, { endStream: true }),
      (stream) => stream.close(11),
      (stream) => stream.session?.destroy(),
    ]
    for (const answer of answers) {
      const socket = await turncoat((stream, path) => {
        if (path === undefined) answer(stream)
        else if (path === agentPaths.heartbeats) stream.respond({ ':status': 200 })
        else stream.respond({ ':status': 200 }, { endStream: true })
      })
      await expect.poll(() => cluster.proxy().dialer.isConnected(host.hostId)).toBe(true)
      await expect(dial()).rejects.toMatchObject({ code: 'connection_problem' })
      socket.destroy()
      await expect.poll(() => cluster.proxy().dialer.isConnected(host.hostId)).toBe(false)
    }
  })

  test('with headers without an end, or frames of no sense, loses its connection', async () => {
    for (const attack of [
      (socket: Duplex) => socket.write(randomBytes(50_000)),
      // A HEADERS frame without the mark of its end, and CONTINUATIONs for ever.
      (socket: Duplex) => {
        const frame = (type: number, length: number): Buffer => {
          const head = Buffer.from([length >> 16, (length >> 8) & 255, length & 255, type, 0, 0, 0, 0, 1])
          return Buffer.concat([head, Buffer.alloc(length, 0x40)])
        }
        socket.write(frame(1, 16_000))
        for (let count = 0; count < 200; count += 1) socket.write(frame(9, 16_000))
      },
    ]) {
      const socket = await upgraded()
      const introduction = { instance: randomUUID(), hostname: 'host', version: '0', credentials: await host.credentials() }
      await introduce({ kind: 'upgrade', stream: socket, binding: new Uint8Array() }, introduction)
      socket.resume()
      attack(socket)
      await closed(socket)
    }
    await expect.poll(() => cluster.proxy().dialer.isConnected(host.hostId)).toBe(false)
  })

  test('that pushes something at the proxy is not allowed to', async () => {
    const pushed = Promise.withResolvers<unknown>()
    const socket = await turncoat((stream, path, session) => {
      stream.respond({ ':status': 200 }, { endStream: path !== agentPaths.heartbeats })
      if (path !== agentPaths.heartbeats) return
      pushed.resolve(session.remoteSettings.enablePush)
      expect(() => stream.pushStream({ ':path': '/v1/webapi/users' }, () => {})).toThrow(/push/i)
    })
    expect(await pushed.promise).toBe(false)
    socket.destroy()
  })
})

const manyLabels = Object.fromEntries(Array.from({ length: 10_000 }, (_, count) => [`label-${count}`, 'x'.repeat(10)]))

/** What editors that work on other machines do over SSH, with OpenSSH's own client: a server started by a script, and everything else through it. */
import type { ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { finished, NativeClient } from './native-client.ts'
import { freePort } from './targets/free-port.ts'
import { whyNoProgram } from './targets/programs.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let native: NativeClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice'] })
  alice = await world.signIn('alice')
  native = await NativeClient.create(world)
})
afterAll(async () => {
  await native[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const audited = async (code: string): Promise<AuditEventWire[]> => {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
  return events.filter((event) => event.code === code)
}

/** Through the client's SOCKS port, to a port of the server's own loopback. */
async function dial(socks: number, port: number): Promise<Socket> {
  const socket = connect(socks, '127.0.0.1')
  socket.write(Buffer.from([5, 1, 0]))
  await answer(socket, 2)
  socket.write(Buffer.from([5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255]))
  const [, outcome] = await answer(socket, 10)
  expect(outcome).toBe(0)
  return socket
}
async function answer(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const found = socket.read(length) as Buffer | null
    if (found) return found
    await once(socket, 'readable')
  }
}

/** A server that hashes what it is told, for every connection. It says its port on its output, as those of editors do. */
const server = `
  const { createHash } = require('node:crypto');
  const answer = (socket) => {
    const hash = createHash('sha256');
    socket.on('data', (bytes) => { hash.update(bytes); socket.write('.') }).on('end', () => socket.end(hash.digest('hex')));
  };
  require('node:net').createServer({ allowHalfOpen: true }, answer).listen(0, '127.0.0.1', function () { console.log('listening on ' + this.address().port + ';') });
`
const script = `set -e\necho "setting up on $(uname -s)"\n${process.execPath} -e "${server.replaceAll('\n', ' ')}" &\n{ cat > /dev/null; kill $!; }\n`

describe.skipIf(whyNoProgram('ssh'))('an editor', () => {
  for (const host of [agentHostname, ...(whyNoProgram('sshd') ? [] : [sshdHostname])]) {
    test(`a script on standard input starts a server on ${host}, which many connections reach through -D, keys exchanged anew on the way`, async () => {
      const socks = await freePort()
      const options = ['-o', 'ControlMaster=no', '-o', 'ExitOnForwardFailure=yes', '-o', 'RekeyLimit=1M']
      const child = native.start('ssh', ['-T', '-D', `127.0.0.1:${socks}`, ...options, host, 'bash', '-s'])
      let said = ''
      child.stdout?.on('data', (bytes: Buffer) => (said += bytes.toString()))
      // The input stays open for as long as the editor does.
      child.stdin?.write(script)
      await expect.poll(() => said).toMatch(/setting up on Linux[^]*listening on \d+;/)
      const port = Number(/listening on (\d+);/.exec(said)?.[1])
      const long = await dial(socks, port)
      const others = await Promise.all(Array.from({ length: 12 }, () => dial(socks, port)))
      await Promise.all(
        others.map(async (socket) => {
          const sent = randomBytes(500_000)
          socket.end(sent)
          expect((await text(socket)).replaceAll('.', '')).toBe(createHash('sha256').update(sent).digest('hex'))
        }),
      )
      // What was opened first still works.
      long.end('last words')
      expect((await text(long)).replaceAll('.', '')).toBe(createHash('sha256').update('last words').digest('hex'))
      const forwarded = (await audited('T3003I')).filter((event) => event['addr'] === `127.0.0.1:${port}`)
      expect(forwarded).toHaveLength(13)
      expect(forwarded[0]).toMatchObject({ user: 'alice', server_hostname: host })

      const exited = once(child, 'exit')
      child.stdin?.end()
      expect(await exited).toEqual([0, null])
      const ended = async () => (await audited('T2004I')).find((event) => event['server_hostname'] === host)
      await expect.poll(ended).toMatchObject({ initial_command: ['bash -s'], interactive: false, session_recording: 'node-sync' })
    })

    test(`a server that a script left in the background on ${host} is there again when the connection was cut and made anew`, async () => {
      const log = join(native.folder, `log-${host}`)
      const begin = `${process.execPath} -e "${server.replaceAll('\n', ' ')}" &> ${log} < /dev/null &\necho pid $!\nuntil grep listening ${log}; do sleep 0.05; done\n`
      /** What the far shell says until it has told the port, and the server's way from here. */
      const open = async (told: string): Promise<{ ssh: ChildProcess; said: string; socket: Socket }> => {
        const socks = await freePort()
        const ssh = native.start('ssh', ['-T', '-D', `127.0.0.1:${socks}`, '-o', 'ExitOnForwardFailure=yes', host, 'bash'])
        let said = ''
        ssh.stdout?.on('data', (bytes: Buffer) => (said += bytes.toString()))
        ssh.stdin?.write(`${told}cat > /dev/null\n`)
        await expect.poll(() => said).toMatch(/listening on \d+;/)
        return { ssh, said, socket: await dial(socks, Number(/listening on (\d+);/.exec(said)?.[1])) }
      }
      const first = await open(begin)
      const pid = Number(/pid (\d+)/.exec(first.said)?.[1])
      try {
        const ended = async () => (await audited('T2004I')).filter((event) => event['server_hostname'] === host).length
        const before = await ended()
        first.ssh.kill('SIGKILL')
        await expect.poll(ended).toBe(before + 1)
        const second = await open(`cat ${log}\n`)
        second.socket.end('back again')
        expect((await text(second.socket)).replaceAll('.', '')).toBe(createHash('sha256').update('back again').digest('hex'))
        second.ssh.kill()
      } finally {
        process.kill(pid)
      }
    })

    test(`a socket file of ${host} is not forwarded, and the connection lives on`, async () => {
      const local = join(native.folder, `local-${host}`)
      const child = native.start('ssh', ['-L', `${local}:/run/nothing.sock`, host, 'echo ready; read line; echo "still $line"'])
      if (!child.stdin || !child.stdout) throw new Error('the process has no pipes')
      await once(child.stdout, 'readable')
      expect(await text(connect(local))).toBe('')
      const { code, out, err } = await finished(child, 'here\n')
      expect({ code, out: out.toString() }).toEqual({ code: 0, out: 'ready\nstill here\n' })
      expect(err).toContain('open failed')
    })
  }
})

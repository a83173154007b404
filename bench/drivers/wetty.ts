/** wetty, a web terminal of the same build (Node, OpenSSH behind it), as a peer. Installed when it is needed, outside of this tree. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { freePort } from '@sallyport/testkit/targets/free-port.ts'
import type { Terminal } from './terminal.ts'
import type { Place } from './world-process.ts'

const version = '3.2.0'
const folder = join(tmpdir(), `sallyport-bench-wetty-${version}`)
const program = join(folder, 'node_modules', 'wetty', 'build', 'main.js')
const installTime = 180_000
const startTime = 15_000
/** Its console acknowledges what it has shown in steps of this many characters. */
const commitStep = 65_536

/** Why it cannot be compared with; undefined when it is installed. */
export async function whyNoWetty(): Promise<string | undefined> {
  if (existsSync(program)) return undefined
  await mkdir(folder, { recursive: true })
  // Its terminal module is built on installing, which this tree's own settings forbid.
  const options = ['--ignore-scripts=false', '--no-audit', '--no-fund', '--loglevel=error']
  const installed = spawnSync('npm', ['install', '--prefix', folder, ...options, `wetty@${version}`], {
    encoding: 'utf8',
    timeout: installTime,
  })
  if (installed.status === 0 && existsSync(program)) return undefined
  return `wetty ${version} could not be installed: ${installed.stderr.trim().split('\n').at(-1) ?? 'npm did not end'}`
}

export interface Wetty extends AsyncDisposable {
  open(): Promise<Terminal>
}

export async function startWetty({ login, ssh }: Place): Promise<Wetty> {
  const port = await freePort()
  const settings = {
    host: '127.0.0.1',
    port,
    base: '/wetty',
    'ssh-host': ssh.host,
    'ssh-port': ssh.port,
    'ssh-user': login,
    'ssh-auth': 'publickey',
    'ssh-key': ssh.keyFile,
    'ssh-config': ssh.configFile,
    'known-hosts': ssh.knownHostsFile,
    'log-level': 'error',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn(process.execPath, [program, '--force-ssh', ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const exited = once(child, 'exit')
  const deadline = performance.now() + startTime
  while (!(await answers(port))) {
    if (performance.now() > deadline) throw new Error('wetty does not answer')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    open: () => openSocket(port),
    async [Symbol.asyncDispose]() {
      child.kill()
      await exited
    },
  }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/wetty', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', () => resolve(false))
  })

/** Its socket speaks Engine.IO 4: "0" greets, "2" asks for a "3", "40" joins, and 42["name", value] is an event. */
async function openSocket(port: number): Promise<Terminal> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/wetty/socket.io/?EIO=4&transport=websocket`, { perMessageDeflate: false })
  let ending = false
  let uncommitted = 0
  const lost = new Promise<never>((_, reject) => {
    socket.once('error', reject)
    socket.once('close', () => ending || reject(new Error('wetty closed its socket')))
  })
  lost.catch(() => undefined)
  const emit = (name: string, value: unknown): void => socket.send(`42${JSON.stringify([name, value])}`)
  const { promise: joined, resolve: onLogin } = Promise.withResolvers<void>()
  const terminal: Terminal = {
    write: (keys) => emit('input', keys),
    onOutput: () => undefined,
    lost,
    async [Symbol.asyncDispose]() {
      ending = true
      socket.close()
      await once(socket, 'close')
    },
  }
  socket.on('message', (message: Buffer) => {
    const text = message.toString()
    if (text.startsWith('0')) return socket.send('40')
    if (text === '2') return socket.send('3')
    if (!text.startsWith('42')) return undefined
    const [name, value] = JSON.parse(text.slice(2)) as [string, string]
    if (name === 'login') onLogin()
    if (name !== 'data') return undefined
    uncommitted += value.length
    if (uncommitted > commitStep) {
      emit('commit', uncommitted)
      uncommitted = 0
    }
    return terminal.onOutput(Buffer.from(value))
  })
  await Promise.race([joined, lost])
  return terminal
}

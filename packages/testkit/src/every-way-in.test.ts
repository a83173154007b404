/** Every client, on a host that came in on every way, in every mode of recording: what arrives, what is audited, what can be played. */
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { callPath } from '@sallyport/wire/call.ts'
import { readSessionRecording, writeSessionRecording } from '@sallyport/wire/calls/cluster-config.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { recordingStream } from '@sallyport/wire/calls/playback.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { bareHome } from './bare-home.ts'
import { finished, NativeClient } from './native-client.ts'
import { ownLogin } from './people.ts'
import { joinHost } from './targets/agent.ts'
import { freePort } from './targets/free-port.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import { startSshd } from './targets/sshd.ts'
import { TerminalClient } from './terminal-client.ts'
import { downloadFile, uploadFile } from './transfer-client.ts'
import { agentHostname, createWorld } from './world.ts'
import type { World } from './world.ts'

const modes = ['node', 'node-sync', 'proxy', 'proxy-sync', 'off'] as const
/** Of the same mode. */
const cellsAtOnce = 7

interface Host {
  id: string
  hostname: string
}
interface Cell {
  client: string
  host: Host
  mode: (typeof modes)[number]
  /** Is in everything that this cell sends, names and runs. */
  mark: string
}
interface Client {
  /** Uses the host; whether everything came through. */
  use: (cell: Cell) => Promise<boolean>
  /** Codes that its events have, in the order of the alphabet. */
  codes: readonly string[]
  /** Of the session; absent where there is none, and so no recording. */
  interactive?: boolean
}

const opened = new AsyncDisposableStack()
let world: World
let alice: ApiClient
let native: NativeClient
const hosts: Host[] = []
/** Of terminals in the browser, by their marks. */
const sids = new Map<string, string>()

async function addOpenSsh(hostname: string, port: number, via?: string): Promise<void> {
  const id = randomUUID()
  const { authorities } = world.proxy
  opened.use(
    await startSshd({
      port,
      userCa: authorities.userCa.publicLine,
      certify: (line) => formatCertificate(authorities.issueHostCertificate({ publicKey: parsePublicKey(line), hostId: id })),
    }),
  )
  const spec = { hostname, addr: `127.0.0.1:${port}`, ...(via !== undefined && { via }) }
  const metadata = { name: id, labels: { env: 'test' } }
  const content = JSON.stringify({ kind: 'node', sub_kind: 'openssh', version: 'v2', metadata, spec })
  await ask(world.dataDir, adminCalls.saveResources, { parts: [content], force: false })
  hosts.push({ id, hostname })
}

const why = whyNoProgram('sshd') ?? whyNoProgram('ssh') ?? whyNoProgram('sftp') ?? whyNoProgram('rsync')

async function begin(): Promise<void> {
  world = opened.use(await createWorld({ people: ['alice'] }))
  alice = await world.signIn('alice')
  native = opened.use(await NativeClient.create(world, { lines: [`ControlPath ${world.dataDir}/%n`] }))
  hosts.push({ id: world.agentId, hostname: agentHostname })
  const { token } = await ask(world.dataDir, adminCalls.addToken, { roles: ['node'], ttl: 3600 })
  const behind = await freePort()
  const forward = ['--forward', `127.0.0.1:${behind}`]
  const remote = opened.use(await joinHost({ proxy: world.url, token, hostname: 'remote-agent', args: forward }))
  await remote.start().logged('connected')
  await vi.waitFor(() => expect(world.proxy.inventory.node(remote.hostId)?.hostname).toBe('remote-agent'), { timeout: 60_000 })
  hosts.push({ id: remote.hostId, hostname: 'remote-agent' })
  await addOpenSsh('agentless', await freePort())
  await addOpenSsh('agentless-behind', behind, remote.hostId)
}

/** From then on native clients open channels of one connection to each host, which is what takes long. */
async function shareConnections(): Promise<void> {
  for (const { hostname } of hosts) {
    const master = native.start('ssh', ['-M', '-N', hostname])
    opened.defer(async () => {
      const ended = once(master, 'exit')
      master.kill()
      await ended
    })
  }
  for (const { hostname } of hosts) await expect.poll(async () => (await native.ssh(['-O', 'check', hostname])).code).toBe(0)
}

/** A file of some size with the cell's mark in its name. */
async function localFile({ mark }: Cell): Promise<{ path: string; bytes: Buffer<ArrayBuffer> }> {
  const path = join(native.folder, mark)
  const bytes = randomBytes(100_000)
  await writeFile(path, bytes)
  return { path, bytes }
}
const program = (name: 'rsync' | 'ansible', args: readonly string[], env: NodeJS.ProcessEnv = process.env) =>
  finished(spawn(requireProgram(name), args, { stdio: 'pipe', env }))
const isThere = async (path: string, bytes: Buffer): Promise<boolean> => bytes.equals(await readFile(path))

const session = ['T2000I', 'T2004I', 'T2005I', 'T2006I']
const clients: Record<string, Client> = {
  'terminal in the browser': {
    codes: [...session, 'T2001I', 'T2003I'],
    interactive: true,
    async use({ host, mark }) {
      await using terminal = await TerminalClient.open(alice, { cluster: world.cluster, serverId: host.id, login: ownLogin })
      const facts = JSON.parse(await terminal.frame('s')) as { session: { id: string } }
      sids.set(mark, facts.session.id)
      terminal.type(`printf '%s-%s\\n' came ${mark}; exit\r`)
      await terminal.frame('c')
      return terminal.output.includes(`came-${mark}`)
    },
  },
  'ssh -tt': {
    codes: [...session, 'T2001I', 'T2003I', 'T3002I'],
    interactive: true,
    use: async ({ host, mark }) => (await native.ssh(['-tt', host.hostname, `echo came-${mark}`])).out.includes(`came-${mark}`),
  },
  'ssh COMMAND': {
    codes: [...session, 'T3002I'],
    interactive: false,
    async use({ host, mark }) {
      const sent = randomBytes(100_000)
      const { code, out } = await native.ssh([host.hostname, `echo came-${mark}; cat`], sent)
      return code === 0 && out.equals(Buffer.concat([Buffer.from(`came-${mark}\n`), sent]))
    },
  },
  scp: {
    codes: ['TS001I'],
    async use(cell) {
      const { path, bytes } = await localFile(cell)
      await native.run('scp', [path, `${cell.host.hostname}:${path}.far`])
      await native.run('scp', [`${cell.host.hostname}:${path}.far`, `${path}.back`])
      return isThere(`${path}.back`, bytes)
    },
  },
  sftp: {
    codes: ['TS001I'],
    async use(cell) {
      const { path, bytes } = await localFile(cell)
      await native.run('sftp', ['-b', '-', cell.host.hostname], `put ${path} ${path}.far\nget ${path}.far ${path}.back\n`)
      return isThere(`${path}.back`, bytes)
    },
  },
  rsync: {
    codes: [...session, 'T3002I'],
    interactive: false,
    async use(cell) {
      const { path, bytes } = await localFile(cell)
      await program('rsync', ['-a', '-e', `ssh -F ${native.config}`, path, `${cell.host.hostname}:${path}.far`])
      return isThere(`${path}.far`, bytes)
    },
  },
  'files in the browser': {
    codes: ['T3004I', 'T3005I', 'TS001I'],
    async use(cell) {
      const { path, bytes } = await localFile(cell)
      const place = { cluster: world.cluster, serverId: cell.host.id, login: ownLogin }
      await uploadFile(alice, place, { location: `${native.folder}/`, filename: `${cell.mark}.far` }, bytes)
      return bytes.equals((await downloadFile(alice, place, { location: `${path}.far` })).body)
    },
  },
}

const events = async (): Promise<AuditEventWire[]> =>
  (await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 5000, order: 'asc' } })).events

/** Of what was recorded with a terminal, its text; of what was not, that something was. */
async function canPlay(sid: string, text: string): Promise<boolean> {
  const answer = await alice.fetch(callPath(recordingStream.path, { clusterId: world.cluster, sid }))
  const bytes = await answer.text()
  return answer.ok && bytes.length > 0 && bytes.includes(text)
}

/** What a cell is known for, as one line of the table. */
const lineOf = ({ client, host, mode }: Cell, facts: object): string => `${client} | ${host.hostname} | ${mode}: ${JSON.stringify(facts)}`

async function outcome(cell: Cell, came: boolean, all: readonly AuditEventWire[]): Promise<string> {
  const isNamed = (event: AuditEventWire): boolean => JSON.stringify(event).includes(cell.mark)
  // Files alone are no session: their events name none.
  const sid = sids.get(cell.mark) ?? all.find((event) => isNamed(event) && Boolean(event['sid']))?.['sid']
  const mine = all.filter((event) => isNamed(event) || (sid !== undefined && event['sid'] === sid))
  // Watching it is an event as well, which this test makes.
  const codes = new Set(mine.map(({ code }) => code ?? '').filter((code) => code !== 'T2012I'))
  const end = mine.find(({ code }) => code === 'T2004I')
  const isOfOthers = ({ code, ...event }: AuditEventWire): boolean =>
    code !== 'T2005I' && (event['user'] !== 'alice' || event['server_hostname'] !== cell.host.hostname)
  return lineOf(cell, {
    came,
    codes: [...codes].toSorted(),
    ...(end && {
      interactive: end['interactive'],
      told: end['session_recording'],
      plays: await canPlay(String(sid), end['interactive'] === true ? `came-${cell.mark}` : ''),
    }),
    others: mine.filter((event) => event.code !== 'T2012I' && isOfOthers(event)).length,
  })
}

function expectedOutcome(cell: Cell, { codes, interactive }: Client): string {
  const isRecorded = cell.mode !== 'off'
  return lineOf(cell, {
    came: true,
    codes: codes.filter((code) => isRecorded || code !== 'T2005I').toSorted(),
    ...(interactive !== undefined && { interactive, told: isRecorded ? 'node-sync' : 'off', plays: isRecorded }),
    others: 0,
  })
}

async function record(mode: (typeof modes)[number]): Promise<void> {
  const { revision } = (await alice.call(readSessionRecording)).metadata
  await alice.call(writeSessionRecording, { body: { spec: { mode }, revision, force: true } })
}

describe.skipIf(why)(`clients, ways in and modes of recording${why === undefined ? '' : ` (${why})`}`, () => {
  beforeAll(begin, 120_000)
  afterAll(() => opened.disposeAsync())

  for (const mode of modes)
    test(`mode ${mode}: every client on every host gets all bytes, is audited as what it is, and recorded as the mode says`, async () => {
      await record(mode)
      if (mode === modes[1]) await shareConnections()
      const cells = hosts.flatMap((host) => Object.keys(clients).map((client): Cell => ({ client, host, mode, mark: `m${randomUUID()}` })))
      const came = new Map<Cell, boolean>()
      const waiting = [...cells]
      const work = async (): Promise<void> => {
        for (let cell = waiting.shift(); cell; cell = waiting.shift())
          came.set(cell, (await clients[cell.client]?.use(cell).catch(() => false)) ?? false)
      }
      await Promise.all(Array.from({ length: cellsAtOnce }, work))
      const table = async (): Promise<string[]> => {
        const all = await events()
        return Promise.all(cells.map((cell) => outcome(cell, came.get(cell) ?? false, all)))
      }
      const expected = cells.map((cell) => expectedOutcome(cell, clients[cell.client] ?? expect.fail()))
      await expect.poll(table, { interval: 500, timeout: 60_000 }).toEqual(expected)
    }, 240_000)

  test.skipIf(whyNoProgram('ansible'))('Ansible on a server without an agent, behind one with an agent', async () => {
    await record('node')
    const cell: Cell = { client: 'ansible', host: hosts.at(-1) ?? expect.fail(), mode: 'node', mark: `m${randomUUID()}` }
    const home = join(native.folder, 'ansible')
    await mkdir(home)
    const common = ['-i', `${cell.host.hostname},`, '-u', ownLogin, '--ssh-common-args', `-F ${native.config}`]
    const env = { ...process.env, HOME: bareHome, ANSIBLE_LOCAL_TEMP: home, ANSIBLE_SSH_CONTROL_PATH_DIR: join(home, 'cp') }
    const { out } = await program('ansible', ['all', ...common, '-m', 'raw', '-a', `echo came-${cell.mark}`], env)
    // Ansible asks for a terminal for its raw commands.
    const expected = expectedOutcome(cell, clients['ssh -tt'] ?? expect.fail())
    await expect.poll(async () => outcome(cell, out.includes(`came-${cell.mark}\r\n`), await events())).toBe(expected)
  })
})

/** The served script, run by bash on this machine below a folder of its own, with a stand-in for the agent that notes how it is called. */
import { execFile, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callPath } from '@sallyport/wire/call.ts'
import { installApp, installNode } from '@sallyport/wire/calls/scripts.ts'
import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createAgentPackage } from '../../core/agent-package/agent-package.ts'
import type { AgentPackage } from '../../core/agent-package/agent-package.ts'
import { scriptsRoutes } from './routes.ts'

const token = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'
const badToken = 'error, token may be expired or invalid\n'

/** Joins by writing what it was told, starts by waiting for its end. */
const standIn = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
const [command, ...args] = process.argv.slice(2)
const dataDir = args[args.indexOf('--data-dir') + 1]
const token = command === 'join' ? readFileSync(args[args.indexOf('--token-file') + 1], 'utf8') : ''
appendFileSync(dataDir + '/calls.log', JSON.stringify([command, args, token]) + '\\n')
if (command === 'join') {
  writeFileSync(dataDir + '/identity.json', '{}')
  writeFileSync(dataDir + '/agent.json', JSON.stringify({ proxies: [args[args.indexOf('--proxy') + 1]] }))
} else {
  console.log('{"msg":"connected"}')
  setInterval(() => {}, 1000)
}
`

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

let api: ProxyApi
let folder: string
let prefix: string
let agentPackage: AgentPackage
let proxy: string
let closing: AsyncDisposableStack
beforeEach(async () => {
  closing = new AsyncDisposableStack()
  folder = await mkdtemp(join(tmpdir(), 'sallyport-install-'))
  closing.defer(() => rm(folder, { recursive: true, force: true }))
  prefix = join(folder, 'root with space')
  closing.defer(async () => {
    // Only after a test that failed does it still run.
    if (existsSync(data('agent.pid')) && isAlive(await pidOf())) process.kill(await pidOf())
  })
  await mkdir(join(folder, 'agent'), { recursive: true })
  await mkdir(prefix)
  await writeFile(join(folder, 'agent', 'agent.mjs'), standIn)
  // The real one is large to pack; this is it by another way.
  await writeFile(join(folder, 'node'), `#!/bin/sh\nexec -a "$0" ${process.execPath} "$@"\n`.replace('/bin/sh', '/bin/bash'))
  await chmod(join(folder, 'node'), 0o755)
  agentPackage = packageOf(join(folder, 'agent'))
  api = closing.use(await openProxyApi())
  proxy = await serve()
  await api.context.joinTokens.create(
    { metadata: { name: token, expires: new Date(api.clock.now() + 3_600_000).toISOString() }, spec: { roles: ['Node'] } },
    'alice',
  )
})
afterEach(() => closing[Symbol.asyncDispose]())

const packageOf = (agentDir: string): AgentPackage =>
  createAgentPackage({ agentDir, cacheDir: join(folder, 'cache'), node: join(folder, 'node') })

/** The area behind the real HTTP layer, on a port. */
async function serve(): Promise<string> {
  const site = { origin: '' }
  const area = closing.use(
    await openAreaApi(
      scriptsRoutes({
        joinTokens: api.context.joinTokens,
        agentPackage: { target: agentPackage.target, ready: () => agentPackage.ready() },
        site,
        clusterName: "o'brien",
        version: '1.2.3',
        pins: () => Promise.resolve(undefined),
      }),
    ),
  )
  site.origin = await area.listen()
  return site.origin
}

const fetchScript = (of: string, search = ''): Promise<Response> => fetch(proxy + callPath(installNode.path, { token: of }) + search)
function bash(script: string, args: readonly string[], environment: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['-c', script, 'install-node.sh', ...args],
      { env: { ...process.env, ...environment } },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    child.stdin?.end()
  })
}
const install = async (...args: string[]): Promise<Outcome> => bash(await (await fetchScript(token)).text(), ['-p', prefix, ...args])

const home = (...parts: string[]): string => join(prefix, 'opt', 'sallyport-agent', ...parts)
const data = (...parts: string[]): string => join(prefix, 'var', 'lib', 'sallyport-agent', ...parts)
const calls = async (): Promise<unknown[]> =>
  (await readFile(data('calls.log'), 'utf8'))
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const pidOf = async (): Promise<number> => Number(await readFile(data('agent.pid'), 'utf8'))

test('R7-135: the script is public text that nobody keeps', async () => {
  const answer = await fetchScript(token)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/x-shellscript; charset=utf-8')
  expect(answer.headers.get('cache-control')).toContain('no-store')
  expect(await answer.text()).toContain(`\ntoken='${token}'\nproxy='${proxy}'\ncluster='o'\\''brien'\n`)
})

describe('a token or a parameter that is not good answers 200 with a script that says so and fails', () => {
  test.each([
    ['a guess', 'f'.repeat(32), ''],
    ['a token in capitals', token.toUpperCase(), ''],
    ['a shell escape', "x'; touch /tmp/owned; '", ''],
    ['line breaks', `${token}\r\nid`, ''],
    ['a very long one', 'a'.repeat(3000), ''],
    ['a method that is none', token, '?method=$(id)'],
  ])('%s', async (_what, of, search) => {
    const answer = await fetchScript(of, search)
    expect(answer.status).toBe(200)
    const script = await answer.text()
    expect(script).not.toMatch(/owned|id\)/)
    expect(await bash(script, [])).toEqual({ code: 1, stdout: '', stderr: badToken })
  })
  test('an expired one, one for databases and one that is used up', async () => {
    const other = 'b'.repeat(32)
    const spec = { roles: ['Db'] }
    await api.context.joinTokens.create({ metadata: { name: other }, spec }, 'alice')
    expect(await (await fetchScript(other)).text()).toContain(badToken.trim())
    const once = 'c'.repeat(32)
    await api.context.joinTokens.create({ metadata: { name: once }, spec: { roles: ['Node'], usage_mode: 'single_use' } }, 'alice')
    await api.context.joinTokens.redeem(once, 'Node')
    expect(await (await fetchScript(once)).text()).toContain(badToken.trim())
    api.clock.advance(3_600_000)
    expect(await (await fetchScript(token)).text()).toContain(badToken.trim())
  })
  test('the method of a cloud says what would work', async () => {
    const outcome = await bash(await (await fetchScript('teleport-ui-iam-1', '?method=iam')).text(), [])
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('join by token only') })
  })
  test('a proxy without a built agent', async () => {
    agentPackage = packageOf(join(folder, 'nothing'))
    expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('has no agent to hand out') })
  })
})

test('the agent is handed out for a good token and this kind of machine only, as the bytes that the script expects', async () => {
  const { target } = agentPackage
  const agent = (of: string, name: string): Promise<Response> => fetch(`${proxy}/scripts/${of}/agent/${name}`)
  expect((await agent('f'.repeat(32), `${target}.tar.gz`)).status).toBe(403)
  expect((await agent(token, 'plan9-mips.tar.gz')).status).toBe(404)
  const answer = await agent(token, `${target}.tar.gz`)
  expect(answer.headers.get('cache-control')).toContain('no-store')
  const sha256 = createHash('sha256')
    .update(await answer.bytes())
    .digest('hex')
  expect(await (await fetchScript(token)).text()).toContain(`sha256='${sha256}'`)
})

test.skipIf(whyNoProgram('curl'))(
  'it installs, joins with the token, starts; again it upgrades, and the machine stays who it is; then it goes without a trace',
  async () => {
    const first = await install('-l', 'env=a b')
    expect(first).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining("is connected to the cluster o'brien") })
    expect(await calls()).toEqual([
      ['join', ['--proxy', proxy, '--data-dir', data(), '--token-file', '/dev/stdin', '--labels', 'env=a b'], token],
      ['start', ['--data-dir', data()], ''],
    ])
    const [oldVersion, oldPid] = [await readlink(home('current')), await pidOf()]
    expect(isAlive(oldPid)).toBe(true)

    await writeFile(join(folder, 'agent', 'agent.mjs'), `${standIn}// newer\n`)
    agentPackage = packageOf(join(folder, 'agent'))
    expect(await install()).toMatchObject({ code: 0, stderr: '' })
    expect(await readlink(home('current'))).not.toBe(oldVersion)
    expect(await readdir(home('versions'))).toHaveLength(1)
    expect(isAlive(oldPid)).toBe(false)
    expect((await calls()).filter((call) => Array.isArray(call) && call[0] === 'join')).toHaveLength(1)

    const pid = await pidOf()
    expect(isAlive(pid)).toBe(true)
    expect(await bash(`"${home('uninstall')}"`, [])).toMatchObject({ code: 0, stderr: '' })
    expect(isAlive(pid)).toBe(false)
    expect([home(), data()].filter((path) => existsSync(path))).toEqual([])
  },
)

test.skipIf(whyNoProgram('curl'))('what was changed on its way is not installed', async () => {
  const script = (await (await fetchScript(token)).text()).replace(/sha256='\w{4}/, "sha256='0000")
  expect(await bash(script, ['-p', prefix])).toMatchObject({ code: 1, stderr: expect.stringContaining('is not what it should be') })
  expect(await readdir(home('versions'))).toEqual([])
})

test('a script that was cut off does nothing', async () => {
  const script = await (await fetchScript(token)).text()
  const { stdout } = await bash(script.slice(0, script.lastIndexOf('main')), ['-p', prefix])
  expect(stdout).toBe('')
  expect(await readdir(prefix)).toEqual([])
})

test.skipIf(whyNoProgram('curl'))('another kind of machine, and a machine of another cluster, are told so', async () => {
  const script = await (await fetchScript(token)).text()
  const elsewhere = script.replace(/target='[^']*'/, "target='plan9-mips'")
  expect(await bash(elsewhere, ['-p', prefix])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('has the agent for plan9-mips only'),
  })
  await install('-n')
  await writeFile(data('agent.json'), '{"proxies":["https://other.example.com"]}')
  expect(await install('-n')).toMatchObject({ code: 1, stderr: expect.stringContaining('belongs to another cluster') })
})

test.skipIf(whyNoProgram('curl'))('an agent that does not stay up is not taken for one that runs', async () => {
  await writeFile(join(folder, 'agent', 'agent.mjs'), standIn.replace(/console.log.*\n.*setInterval.*/, "console.error('no bash here')"))
  expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('does not stay up') })
  expect(await readFile(join(prefix, 'var', 'log', 'sallyport-agent.log'), 'utf8')).toContain('no bash here')
})

/** For every program that it stands in for: notes how it was called; the agent is up and connected. */
const service = `#!/bin/bash
echo "$(basename "$0") $*" >>"$CALLS"
case "$(basename "$0") $1" in 'journalctl '*) echo '{"message":"connected"}' ;; esac
`
const whyNoNamespace = spawnSync('unshare', ['--mount', 'true']).status === 0 ? undefined : 'this user may not mount'

test.skipIf(whyNoProgram('curl') ?? whyNoNamespace)('where systemd runs it becomes a unit of it, and goes again with it', async () => {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  for (const name of ['systemctl', 'journalctl']) await writeFile(join(bin, name), service, { mode: 0o755 })
  await writeFile(join(folder, 'script'), await (await fetchScript(token)).text())
  // Its own view of these folders, empty at first; nothing of it is left outside.
  const inNamespace = `
    set -e
    for place in /opt /var/lib /etc/systemd /run/systemd; do mkdir -p $place; mount -t tmpfs none $place; done
    mkdir /etc/systemd/system /run/systemd/system
    bash '${folder}/script'
    cp /etc/systemd/system/sallyport-agent.service '${folder}/unit'
    ls /var/lib/sallyport-agent > '${folder}/data'
    /opt/sallyport-agent/uninstall
    ls -A /etc/systemd/system /opt /var/lib >&2
  `
  const outcome = await bash(`exec unshare --mount bash -c "$SCRIPT"`, [], {
    SCRIPT: inNamespace,
    CALLS: join(folder, 'systemctl.log'),
    PATH: `${bin}:${process.env['PATH']}`,
  })
  expect(outcome).toEqual({
    code: 0,
    stdout: expect.stringContaining("is connected to the cluster o'brien"),
    stderr: '/etc/systemd/system:\n\n/opt:\n\n/var/lib:\n',
  })
  const told = (await readFile(join(folder, 'systemctl.log'), 'utf8')).split('\n')
  expect(told.filter((line) => line.startsWith('systemctl'))).toEqual([
    'systemctl daemon-reload',
    'systemctl enable --quiet sallyport-agent.service',
    'systemctl restart sallyport-agent.service',
    'systemctl is-active --quiet sallyport-agent.service',
    'systemctl disable --now sallyport-agent.service',
    'systemctl daemon-reload',
  ])
  expect(await readFile(join(folder, 'unit'), 'utf8')).toContain(
    '\nExecStart=/opt/sallyport-agent/current/bin/node /opt/sallyport-agent/current/agent.mjs start --data-dir /var/lib/sallyport-agent\nRestart=always\n',
  )
  expect(await readFile(join(folder, 'data'), 'utf8')).not.toContain('agent.pid')
})

describe('R7-136: the script for an application', () => {
  const appToken = '0f'.repeat(16)
  const fetchAppScript = async (of: string, query: Record<string, string>): Promise<string> => {
    const answer = await fetch(`${proxy}${callPath(installApp.path, { token: of })}?${new URLSearchParams(query).toString()}`)
    expect(answer.status).toBe(200)
    return answer.text()
  }
  beforeEach(async () => {
    const expires = new Date(api.clock.now() + 3_600_000).toISOString()
    await api.context.joinTokens.create({ metadata: { name: appToken, expires }, spec: { roles: ['App'] } }, 'alice')
  })

  test('joins, and tells the agent what to reach', async () => {
    const script = await fetchAppScript(appToken, { name: 'wiki', uri: 'http://localhost:3000' })
    expect(await bash(script, ['-p', prefix, '-n'])).toMatchObject({ code: 0 })
    const [line = ''] = (await readFile(data('calls.log'), 'utf8')).split('\n')
    const [command, args, given] = JSON.parse(line) as [string, string[], string]
    expect([command, given]).toEqual(['join', appToken])
    expect(args.slice(args.indexOf('--app'))).toEqual(['--app', 'wiki=http://localhost:3000'])
    const other = await fetchAppScript(appToken, { name: 'other', uri: 'http://localhost:4000' })
    expect(await bash(other, ['-p', prefix, '-n'])).toMatchObject({ code: 1, stderr: expect.stringContaining('has an agent already') })
  })

  test('is refused for a token of servers, and for names and addresses that are none', async () => {
    const good = { name: 'wiki', uri: 'http://localhost:3000' }
    expect(await bash(await fetchAppScript(token, good), [])).toMatchObject({ code: 1, stderr: badToken })
    for (const name of ['', 'Wiki', '1wiki', "w'$(id)", 'wiki\nid', '-w', 'w'.repeat(64)])
      expect(await bash(await fetchAppScript(appToken, { ...good, name }), []), name).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('the name of an application'),
      })
    for (const uri of ['', 'localhost:3000', 'http://localhost:3000/$(id)', "http://x'y", 'ftp://x', 'http://a b', 'tcp://queue'])
      expect(await bash(await fetchAppScript(appToken, { ...good, uri }), []), uri).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('the address of an application'),
      })
  })
})

describe('scripts for machines that reach something else', () => {
  const tokenFor = async (role: string, more: object = {}): Promise<string> => {
    const name = randomBytes(16).toString('hex')
    await api.context.joinTokens.create({ metadata: { name }, spec: { roles: [role], ...more } }, 'alice')
    return name
  }
  const fetchText = async (of: string, script: string): Promise<string> => (await fetch(`${proxy}/scripts/${of}/${script}`)).text()
  const asked = async (): Promise<string[]> => {
    const [[, args]] = (await calls()) as [[string, string[]]]
    return args.slice(args.indexOf('/dev/stdin') + 1)
  }

  test('R7-134, R7-106: the one for databases takes the labels of the token along, whatever is in them', async () => {
    const matchers = { env: ['prod', "it's $(id) `id`"], team: ['a b'] }
    const db = await tokenFor('Db', { suggested_agent_matcher_labels: matchers })
    expect(await bash(await fetchText(db, 'install-database.sh'), ['-p', prefix, '-n'])).toMatchObject({ code: 0, stderr: '' })
    expect(await asked()).toEqual(['--databases', 'env=prod', '--databases', "env=it's $(id) `id`", '--databases', 'team=a b'])
    const broken = await tokenFor('Db', { suggested_agent_matcher_labels: { env: 'a\nb' } })
    expect(await bash(await fetchText(broken, 'install-database.sh'), [])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('on one line'),
    })
    expect(await bash(await fetchText(token, 'install-database.sh'), [])).toMatchObject({ code: 1, stderr: badToken })
  })
  test('without labels the machine joins, and serves none yet', async () => {
    await bash(await fetchText(await tokenFor('Db'), 'install-database.sh'), ['-p', prefix, '-n'])
    expect(await asked()).toEqual(['--databases', ''])
  })
  test('the one for a desktop names it; names and addresses that are none are refused', async () => {
    const of = await tokenFor('WindowsDesktop')
    for (const search of ['', '?name=a', '?name=a&addr=b/c', '?name=a&addr=$(id)', '?name=a+b&addr=c', '?name=a&addr=b%0Ac'])
      expect(await bash(await fetchText(of, `install-desktop.sh${search}`), []), search).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('of a desktop is'),
      })
    await bash(await fetchText(of, 'install-desktop.sh?name=office&addr=10.0.0.9'), ['-p', prefix, '-n'])
    expect(await asked()).toEqual(['--desktop', 'office=10.0.0.9'])
  })
  test('the one for a cluster makes the account there and keeps its token on the machine', async () => {
    const of = await tokenFor('Kube')
    const refused = { code: 1, stderr: expect.stringContaining('the name of a cluster') }
    expect(await bash(await fetchText(of, 'install-kube.sh?name=$(id)'), [])).toMatchObject(refused)
    const bin = join(folder, 'bin')
    await mkdir(bin)
    await writeFile(join(bin, 'kubectl'), kubectl, { mode: 0o755 })
    const environment = { PATH: `${bin}:${process.env['PATH']}`, SEEN: join(folder, 'kubectl.log') }
    const script = await fetchText(of, 'install-kube.sh?name=prod')
    expect(await bash(script, ['-p', prefix, '-n', '-k', '/etc/kube config'], environment)).toMatchObject({ code: 0, stderr: '' })
    const files = ['--kube-token-file', data('kube-token'), '--kube-ca-file', data('kube-ca.crt')]
    expect(await asked()).toEqual(['--kube', 'prod=https://10.0.0.1:6443', ...files])
    expect(await readFile(data('kube-token'), 'utf8')).toBe('a token')
    expect(await readFile(data('kube-ca.crt'), 'utf8')).toBe('an authority')
    expect((await stat(data('kube-token'))).mode & 0o777).toBe(0o600)
    const seen = await readFile(join(folder, 'kubectl.log'), 'utf8')
    expect(seen).toContain('kind: ClusterRole\n')
    expect(seen).toContain('--kubeconfig /etc/kube config apply -f -')
  })
})

/** Notes what it is asked and given; answers as one that is set up for a cluster. */
const kubectl = `#!/bin/bash
echo "$*" >>"$SEEN"
case "$*" in
  *apply*) cat >>"$SEEN" ;;
  *'config view'*) printf https://10.0.0.1:6443 ;;
  *data.token*) printf 'a token' | base64 ;;
  *ca*crt*) printf 'an authority' | base64 ;;
esac
`

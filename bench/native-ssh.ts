/** P4: OpenSSH's own client through the proxy, against the same client straight to the same server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { startBareClient } from './drivers/bare-client.ts'
import { soak, type Soak } from './drivers/login-soak.ts'
import { openSshTerminal } from './drivers/ssh-terminal.ts'
import { startEcho } from './drivers/terminal.ts'
import { startWorldProcess } from './drivers/world-process.ts'
import type { SshAccess } from './drivers/world-process.ts'
import { note, report, skip } from './report.ts'
import { median, percentile } from './statistics.ts'

/** `jump`: a host to go through. */
type Way = Pick<SshAccess, 'configFile' | 'host'> & { jump?: string }
const logins = 7
const bytes = 200_000_000
const turns = 3
const keys = 500
const aim = { login: 25, ratio: 0.5, echo: { p50: 1, p99: 4 }, soak: { p50: 25, p99: 2 } }
const perMinute = 200
/** For each of the two ways, half of it at a time. The whole measure takes 30. */
const soakMinutes = Number(process.env['SALLYPORT_BENCH_SOAK_MINUTES'] ?? 2)

/** Milliseconds of a whole command; its output is read and thrown away. */
async function run({ configFile, host, jump }: Way, command: string): Promise<number> {
  const begun = performance.now()
  const child = spawn('ssh', ['-F', configFile, ...(jump ? ['-J', jump] : []), host, command], { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.resume()
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`ssh ended with ${code}`)
  return performance.now() - begun
}

/** Both at the same pace, one after the other, twice. */
async function soakBoth(ways: { ours: Way; raw: Way }): Promise<{ ours: Soak; raw: Soak }> {
  const results = { ours: { times: [], failed: 0 } as Soak, raw: { times: [], failed: 0 } as Soak }
  for (const who of ['raw', 'ours', 'raw', 'ours'] as const) {
    const { times, failed } = await soak(() => run(ways[who], 'true'), { perMinute, minutes: soakMinutes / 2 })
    results[who].times.push(...times)
    results[who].failed += failed
  }
  return results
}

/** All ways take turns, so that all see the same machine. */
async function compare<W extends string, T>(
  ways: Readonly<Record<W, Way>>,
  count: number,
  measure: (way: Way) => Promise<T>,
): Promise<Record<W, T[]>> {
  const names = Object.keys(ways) as W[]
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<W, T[]>
  for (let turn = 0; turn < count; turn += 1) for (const name of names) results[name].push(await measure(ways[name]))
  return results
}

async function echo(way: Way): Promise<number[]> {
  await using terminal = openSshTerminal(way)
  const type = await startEcho(terminal)
  await type(keys / 4)
  // The terminal goes at the end of this scope.
  const times = await type(keys)
  return times
}

const whyNoSsh = whyNoProgram('sshd') ?? whyNoProgram('ssh')
if (whyNoSsh) skip('native ssh', whyNoSsh)
else {
  await using world = await startWorldProcess()
  const ways = { raw: world.place.ssh, ours: world.place.native }
  const jump = { ...ways.raw, jump: ways.raw.host }
  await run(ways.ours, 'true')
  const login = await compare({ ...ways, jump }, logins, (way) => run(way, 'true'))
  const loginOf = { ours: median(login.ours), raw: median(login.raw), jump: median(login.jump) }
  report({
    measure: 'sign-in and a command, two handshakes and a recording against one handshake',
    ours: loginOf.ours,
    unit: 'ms',
    against: { name: 'ssh', value: loginOf.raw },
    aim: { text: `<= raw + ${aim.login} ms`, holds: loginOf.ours <= loginOf.raw + aim.login },
  })
  report({
    measure: 'the same against OpenSSH as the jump host: two handshakes as well, and no recording',
    ours: loginOf.ours,
    unit: 'ms',
    against: { name: 'ssh -J', value: loginOf.jump },
  })
  const command = `head -c ${bytes} /dev/zero`
  let cpuSeconds = 0
  const copied = await compare(ways, turns, async (way) => {
    const before = await world.ask('cpu')
    const time = await run(way, command)
    if (way === ways.ours) cpuSeconds += (await world.ask('cpu')) - before
    return time
  })
  const speed = (who: 'ours' | 'raw'): number => bytes / 1e6 / ((median(copied[who]) - loginOf[who]) / 1000)
  report({
    measure: `output of a command, ${bytes / 1e6} MB, recorded, its sign-in taken off`,
    ours: speed('ours'),
    unit: 'MB/s',
    against: { name: 'ssh', value: speed('raw') },
    aim: { text: `>= ${aim.ratio}`, holds: speed('ours') >= aim.ratio * speed('raw') },
  })
  {
    await using bare = await startBareClient(world)
    const costs = [await bare.run({ command, onTerminal: false }), await bare.run({ command, onTerminal: false })]
    report({
      measure: 'processor time of the proxy for 100 MB of it: deciphered once, recorded, enciphered twice',
      ours: (cpuSeconds / turns / bytes) * 1e8,
      unit: 's',
      against: { name: 'bare SSH client, deciphered once', value: (Math.min(...costs.map((cost) => cost.cpuSeconds)) / bytes) * 1e8 },
    })
  }
  const echoes = await compare(ways, turns, echo)
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const of = (who: 'ours' | 'raw'): number => median(echoes[who].map((times) => percentile(times, share)))
    report({
      measure: `keystroke echo ${name}, ${turns} times ${keys} keys`,
      ours: of('ours'),
      unit: 'ms',
      against: { name: 'ssh -tt', value: of('raw') },
      aim: { text: `<= raw + ${aim.echo[name]} ms`, holds: of('ours') <= of('raw') + aim.echo[name] },
    })
  }
  const soaked = await soakBoth(ways)
  const of = (who: 'ours' | 'raw', share: number): number => percentile(soaked[who].times, share)
  const measure = `sign-in, command and exit, ${perMinute} a minute for ${soakMinutes} minutes`
  report({
    measure: `${measure}, p50`,
    ours: of('ours', 0.5),
    unit: 'ms',
    against: { name: 'ssh', value: of('raw', 0.5) },
    aim: { text: `<= raw + ${aim.soak.p50} ms`, holds: of('ours', 0.5) <= of('raw', 0.5) + aim.soak.p50 },
  })
  report({
    measure: `${measure}, p99`,
    ours: of('ours', 0.99),
    unit: 'ms',
    against: { name: 'ssh', value: of('raw', 0.99) },
    aim: { text: `<= ${aim.soak.p99} x raw`, holds: of('ours', 0.99) <= aim.soak.p99 * of('raw', 0.99) },
  })
  report({
    measure: `${measure}, failed`,
    ours: soaked.ours.failed,
    unit: '',
    aim: { text: '0', holds: soaked.ours.failed === 0 },
  })
  if (soaked.raw.failed > 0) note(`of the sign-ins by ssh alone, ${soaked.raw.failed} failed`)
}

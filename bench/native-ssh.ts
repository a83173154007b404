/** P4: OpenSSH's own client through the proxy, against the same client straight to the same server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { openSshTerminal } from './drivers/ssh-terminal.ts'
import { startEcho } from './drivers/terminal.ts'
import { startWorldProcess } from './drivers/world-process.ts'
import type { SshAccess } from './drivers/world-process.ts'
import { report, skip } from './report.ts'
import { median, percentile } from './statistics.ts'

type Way = Pick<SshAccess, 'configFile' | 'host'>
const logins = 7
const bytes = 100_000_000
const turns = 3
const keys = 500
const aim = { login: 25, echo: { p50: 1, p99: 4 } }

/** Milliseconds of a whole command; its output is read and thrown away. */
async function run({ configFile, host }: Way, command: string): Promise<number> {
  const begun = performance.now()
  const child = spawn('ssh', ['-F', configFile, host, command], { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.resume()
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`ssh ended with ${code}`)
  return performance.now() - begun
}

/** Both ways take turns, so that both see the same machine. */
async function compare<T>(
  ways: { ours: Way; raw: Way },
  count: number,
  measure: (way: Way) => Promise<T>,
): Promise<{ ours: T[]; raw: T[] }> {
  const results = { ours: [] as T[], raw: [] as T[] }
  for (let turn = 0; turn < count; turn += 1) for (const who of ['raw', 'ours'] as const) results[who].push(await measure(ways[who]))
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
  const ways = { ours: world.place.native, raw: world.place.ssh }
  await run(ways.ours, 'true')
  const login = await compare(ways, logins, (way) => run(way, 'true'))
  const loginOf = { ours: median(login.ours), raw: median(login.raw) }
  report({
    measure: 'sign-in and a command, two handshakes and a recording against one handshake',
    ours: loginOf.ours,
    unit: 'ms',
    against: { name: 'ssh', value: loginOf.raw },
    aim: { text: `<= raw + ${aim.login} ms`, holds: loginOf.ours <= loginOf.raw + aim.login },
  })
  const copied = await compare(ways, turns, (way) => run(way, `head -c ${bytes} /dev/zero`))
  const speed = (who: 'ours' | 'raw'): number => bytes / 1e6 / ((median(copied[who]) - loginOf[who]) / 1000)
  report({
    measure: `output of a command, ${bytes / 1e6} MB, recorded, its sign-in taken off`,
    ours: speed('ours'),
    unit: 'MB/s',
    against: { name: 'ssh', value: speed('raw') },
  })
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
}

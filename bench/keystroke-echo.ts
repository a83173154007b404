/** P3: from a key to its echo, through the browser's socket and through `ssh -tt`, in quiet and while another terminal floods. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { openBrowserTerminal } from './drivers/browser-terminal.ts'
import { openSshTerminal } from './drivers/ssh-terminal.ts'
import { startEcho, type Terminal } from './drivers/terminal.ts'
import { startWorldProcess, type Place } from './drivers/world-process.ts'
import { report, skip } from './report.ts'
import { median, percentile } from './statistics.ts'

const keys = 2000
/** Ours and raw take turns, so that both see the same machine; the median over the turns counts. */
const turns = 5
const warmUp = 500
const aim = { p50: 0.5, p99: 2, floodedP99: 50 }

interface Echo {
  p50: number
  p99: number
}

/** Each turn presses `count` keys in both. */
async function echoTimes(terminals: { ours: Terminal; raw: Terminal }, count: number): Promise<{ ours: Echo; raw: Echo }> {
  const type = { ours: await startEcho(terminals.ours), raw: await startEcho(terminals.raw) }
  const times = { ours: [] as number[][], raw: [] as number[][] }
  for (const who of ['raw', 'ours'] as const) await type[who](warmUp)
  for (let turn = 0; turn < turns; turn += 1) for (const who of ['raw', 'ours'] as const) times[who].push(await type[who](count))
  const echo = (of: readonly number[][]): Echo => ({
    p50: median(of.map((turn) => percentile(turn, 0.5))),
    p99: median(of.map((turn) => percentile(turn, 0.99))),
  })
  return { ours: echo(times.ours), raw: echo(times.raw) }
}

/** A browser in another process whose terminal prints without end. */
async function startFlood(place: Place): Promise<AsyncDisposable> {
  const child = fork(join(import.meta.dirname, 'drivers', 'flood-child.ts'))
  const exited = once(child, 'exit')
  child.send(place)
  await Promise.race([once(child, 'message'), exited.then(() => Promise.reject(new Error('the flood ended at its start')))])
  return {
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exited
    },
  }
}

const whyNoSsh = whyNoProgram('sshd') ?? whyNoProgram('ssh')
if (whyNoSsh) skip('keystroke echo', whyNoSsh)
else {
  await using world = await startWorldProcess()
  const { place } = world
  {
    await using ours = await openBrowserTerminal(place)
    await using raw = openSshTerminal(place.ssh)
    const echo = await echoTimes({ ours, raw }, keys)
    for (const name of ['p50', 'p99'] as const) {
      const holds = echo.ours[name] <= echo.raw[name] + aim[name]
      report({
        measure: `keystroke echo ${name}, ${turns} times ${keys} keys`,
        ours: echo.ours[name],
        unit: 'ms',
        against: { name: 'ssh -tt', value: echo.raw[name] },
        aim: { text: `<= raw + ${aim[name]} ms`, holds },
      })
    }
  }
  {
    await using ours = await openBrowserTerminal(place)
    await using raw = openSshTerminal(place.ssh)
    await using _flood = await startFlood(place)
    const echo = await echoTimes({ ours, raw }, keys / 4)
    report({
      measure: 'keystroke echo p99 while a second tab floods',
      ours: echo.ours.p99,
      unit: 'ms',
      against: { name: 'ssh -tt, same flood', value: echo.raw.p99 },
      aim: { text: `<= ${aim.floodedP99} ms`, holds: echo.ours.p99 <= aim.floodedP99 },
    })
  }
}

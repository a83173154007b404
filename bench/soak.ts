/**
 * P23: minutes of many idle sessions, some busy ones and commands at a steady pace: nothing fails, and nothing grows.
 * SALLYPORT_BENCH_MINUTES=10 makes it long enough to tell what grows.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { openBrowserTerminal } from './drivers/browser-terminal.ts'
import type { BrowserTerminal } from './drivers/browser-terminal.ts'
import { openFiles } from './drivers/process-costs.ts'
import { run } from './drivers/terminal.ts'
import { startWorldProcess } from './drivers/world-process.ts'
import type { WorldProcess } from './drivers/world-process.ts'
import { note, report, skip } from './report.ts'
import { median, percentile } from './statistics.ts'

const minutes = Number(process.env['SALLYPORT_BENCH_MINUTES'] ?? 2)
/** In fewer, memory that goes up and down looks as if it grew. */
const minutesToGrow = 10
const idle = 200
const busy = 20
/** Milliseconds between two that begin, whether the earlier ones have ended or not. */
const commandEvery = 500
const busyPause = 300
/** Between two looks at the proxy. */
const lookEvery = 15_000
/** Memory has settled after this share of the time. */
const warmUp = 0.6
const aim = { slopePercentPerHour: 60, files: 10, p99Ratio: 1.5 }

interface Look {
  seconds: number
  rss: number
  files: number
}

/** One shell for one command, as a browser would open it; milliseconds. */
async function command(world: WorldProcess): Promise<number> {
  const begun = performance.now()
  await using terminal = await openBrowserTerminal(world.place)
  await run(terminal, 'true')
  return performance.now() - begun
}

/** By least squares, per second. */
function slope(points: readonly { x: number; y: number }[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const over = points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0)
  return over / points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0)
}

function reportGrowth(looks: readonly Look[]): void {
  const settled = looks.filter(({ seconds: at }) => at > warmUp * minutes * 60)
  const level = median(settled.map(({ rss }) => rss))
  const growth = ((slope(settled.map(({ seconds: x, rss: y }) => ({ x, y }))) * 3600) / level) * 100
  report({
    measure: 'growth of the memory of the proxy, after the first minutes',
    ours: growth,
    unit: '%/h',
    aim: { text: `<= ${aim.slopePercentPerHour} %/h`, holds: growth <= aim.slopePercentPerHour },
  })
  const third = Math.floor(settled.length / 3)
  const filesOf = (some: readonly Look[]): number => median(some.map((look) => look.files))
  // Commands come and go, so the middle of each.
  const files = filesOf(settled.slice(-third)) - filesOf(settled.slice(0, third))
  report({
    measure: 'growth of the open files of the proxy, after the first minutes',
    ours: files,
    unit: '',
    aim: { text: `<= ${aim.files}`, holds: files <= aim.files },
  })
}

async function soak(world: WorldProcess): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const failures: unknown[] = []
  const open = async (): Promise<BrowserTerminal> => {
    const terminal = opened.use(await openBrowserTerminal(world.place))
    await run(terminal, 'true')
    return terminal
  }
  for (let count = 0; count < idle; count += 5) await Promise.all(Array.from({ length: 5 }, open))
  const workers: BrowserTerminal[] = []
  for (let count = 0; count < busy; count += 1) workers.push(await open())

  const begun = performance.now()
  const seconds = (): number => (performance.now() - begun) / 1000
  const isOver = (): boolean => seconds() > minutes * 60
  const work = async (terminal: BrowserTerminal): Promise<void> => {
    while (!isOver()) {
      await run(terminal, 'seq 1 2000')
      await wait(busyPause)
    }
  }
  const working = Promise.all(workers.map((terminal) => work(terminal).catch((error: unknown) => failures.push(error))))
  const commands: { at: number; ms: number }[] = []
  const underWay: Promise<unknown>[] = []
  const looks: Look[] = []
  let nextLook = 0
  for (let count = 0; !isOver(); count += 1) {
    const at = seconds()
    const one = command(world).then(
      (ms) => commands.push({ at, ms }),
      (error: unknown) => failures.push(error),
    )
    underWay.push(one)
    if (at * 1000 >= nextLook) {
      nextLook += lookEvery
      looks.push({ seconds: at, rss: (await world.ask('usage')).rss, files: await openFiles(world.pid) })
    }
    await wait(Math.max(0, begun + (count + 1) * commandEvery - performance.now()))
  }
  await Promise.all([working, ...underWay])

  report({
    measure: `failures in ${minutes} minutes, ${idle} idle and ${busy} busy terminals, ${commands.length} commands`,
    ours: failures.length,
    unit: '',
    aim: { text: '0', holds: failures.length === 0 },
  })
  if (failures.length > 0) note(`the first failure: ${String(failures[0])}`)
  if (minutes < minutesToGrow) skip('growth of the proxy', `it takes ${minutesToGrow} minutes to tell (SALLYPORT_BENCH_MINUTES)`)
  else reportGrowth(looks)
  const half = (from: number, to: number): number =>
    percentile(
      commands.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms),
      0.99,
    )
  const [early, late] = [half(0, minutes * 30), half(minutes * 30, Infinity)]
  report({
    measure: 'a terminal for one command p99, second half',
    ours: late,
    unit: 'ms',
    against: { name: 'first half', value: early },
    aim: { text: `<= ${aim.p99Ratio} times the first half`, holds: late <= aim.p99Ratio * early },
  })
  note(`memory of the proxy in MB, every ${lookEvery / 1000} s: ${looks.map(({ rss }) => Math.round(rss / 1e6)).join(' ')}`)
  note(`its open files: ${looks.map((look) => look.files).join(' ')}`)
}

const whyNot = whyNoProgram('sshd') ?? (process.platform === 'linux' ? undefined : 'only Linux tells the open files of a process')
if (whyNot) skip('soak', whyNot)
else {
  await using world = await startWorldProcess()
  await soak(world)
}

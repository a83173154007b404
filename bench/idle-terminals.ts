/** P6: what an open terminal in which nothing happens costs the proxy, recorded, against a bare SSH client with as many shells; and what all of them cost its processor. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { openBrowserTerminal } from './drivers/browser-terminal.ts'
import { run } from './drivers/terminal.ts'
import { startWorldProcess, type WorldProcess } from './drivers/world-process.ts'
import { report, skip } from './report.ts'

const terminals = 500
/** Memory is read after each so many. */
const step = 100
/** Opened before the count begins, so that what is needed once is there. */
const first = 40
const atOnce = 5
const settleTime = 2500
const idleSeconds = 20
const aim = { bytes: 150_000, cpuPercent: 5 }
/** Enough to know what one costs. */
const shells = 200

/**
 * Bytes per terminal: the mean over the steps in which memory grew. In others a process gives back what its start
 * needed, which says nothing about terminals.
 */
async function growth(all: number, open: (count: number) => Promise<void>, rss: () => Promise<number>): Promise<number> {
  const read = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, settleTime))
    return rss()
  }
  await open(first)
  let last = await read()
  const grown: number[] = []
  for (let count = 0; count < all; count += step) {
    await open(step)
    const now = await read()
    grown.push((now - last) / step)
    last = now
  }
  const grew = grown.filter((bytes) => bytes > 0)
  return grew.reduce((sum, bytes) => sum + bytes, 0) / grew.length
}

async function perTerminal(world: WorldProcess): Promise<{ bytes: number; cpuPercent: number }> {
  await using opened = new AsyncDisposableStack()
  const openOne = async (): Promise<AsyncDisposable> => {
    const terminal = await openBrowserTerminal(world.place)
    await run(terminal, 'true')
    return terminal
  }
  const open = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += atOnce) for (const one of await Promise.all(Array.from({ length: atOnce }, openOne))) opened.use(one)
  }
  const bytes = await growth(terminals, open, async () => (await world.ask('usage')).rss)
  const { cpuSeconds } = await world.ask('usage')
  await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000))
  const cpuPercent = (((await world.ask('usage')).cpuSeconds - cpuSeconds) / idleSeconds) * 100
  return { bytes, cpuPercent }
}

/** The same in a process that only holds SSH connections. */
async function perShell(world: WorldProcess): Promise<number> {
  const child = fork(join(import.meta.dirname, 'drivers', 'shells-child.ts'), { execArgv: ['--expose-gc'] })
  const exited = once(child, 'exit')
  const access = { place: world.place, identity: await world.ask('identity') }
  const order = async (shells: number): Promise<number> => {
    const answer = Promise.race([once(child, 'message'), exited.then(() => Promise.reject(new Error('the process of bare shells ended')))])
    child.send({ ...access, shells })
    const [rss] = await answer
    return Number(rss)
  }
  try {
    return await growth(
      shells,
      async (count) => void (await order(count)),
      () => order(0),
    )
  } finally {
    child.disconnect()
    await exited
  }
}

const whyNoSshd = whyNoProgram('sshd')
if (whyNoSshd) skip('memory of an idle terminal', whyNoSshd)
else {
  await using world = await startWorldProcess()
  const ours = await perTerminal(world)
  const bare = await perShell(world)
  report({
    measure: `memory of an idle terminal, ${terminals} open, recorded`,
    ours: ours.bytes / 1000,
    unit: 'kB',
    against: { name: 'bare ssh2 shell', value: bare / 1000 },
    aim: { text: `<= ${aim.bytes / 1000} kB`, holds: ours.bytes <= aim.bytes },
  })
  report({
    measure: `processor of the proxy with ${first + terminals} idle terminals`,
    ours: ours.cpuPercent,
    unit: '% of a core',
    aim: { text: `<= ${aim.cpuPercent} %`, holds: ours.cpuPercent <= aim.cpuPercent },
  })
}

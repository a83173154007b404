/** P11: a desktop through the proxy against the same desktop straight: pictures a second, key to picture, and what it costs. */
import { ask } from '@sallyport/cli/admin-client.ts'
import { startXrdp, whyNoXrdp } from '@sallyport/testkit/targets/xrdp.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openBrowserDesktop, openDirectDesktop, screenSize } from './drivers/desktop-eyes.ts'
import type { DesktopEyes } from './drivers/desktop-eyes.ts'
import { openBrowserTerminal } from './drivers/browser-terminal.ts'
import { startEcho } from './drivers/terminal.ts'
import { startWorldProcess } from './drivers/world-process.ts'
import type { WorldProcess } from './drivers/world-process.ts'
import { note, report, skip } from './report.ts'
import { median, percentile } from './statistics.ts'

const seconds = 6
const turns = 3
const keys = 150
const aims = { fps: 0.9, key: 8, echo: 50, memory: 48 }
const measured = `${screenSize.width}x${screenSize.height}`

const startScreen = (mode: 'frames' | 'keys') =>
  startXrdp({ command: [process.execPath, join(import.meta.dirname, 'drivers', 'screen-animation.ts'), mode] })

async function register({ place }: WorldProcess, name: string, server: { port: number; password: string }): Promise<void> {
  const spec = { addr: `127.0.0.1:${server.port}`, logins: [{ name: 'bench', password: server.password }] }
  const part = JSON.stringify({ kind: 'windows_desktop', metadata: { name }, spec })
  await ask(place.dataDir, adminCalls.saveResources, { parts: [part], force: false })
}

/** Different pictures a second. */
async function fps(eyes: DesktopEyes): Promise<number> {
  await wait(1500) // the first pictures are of a screen that fills
  const seen = new Set<number>()
  eyes.onNumber = (number) => void seen.add(number)
  await wait(seconds * 1000)
  eyes.onNumber = undefined
  return seen.size / seconds
}

async function keyTimes(eyes: DesktopEyes): Promise<number[]> {
  const times: number[] = []
  for (let key = 0; key < keys; key += 1) {
    const pressed = performance.now()
    await new Promise<void>((resolve) => {
      eyes.onNumber = () => resolve()
      eyes.press()
    })
    times.push(performance.now() - pressed)
    await wait(5) // what follows the picture
  }
  return times
}

async function measureFrames(world: WorldProcess): Promise<void> {
  await using server = await startScreen('frames')
  await register(world, 'film', server)
  const rates = { direct: [] as number[], ours: [] as number[], cpu: [] as number[], thread: [] as number[], bytes: [] as number[] }
  for (let turn = 0; turn < turns; turn += 1) {
    {
      await using direct = await openDirectDesktop(server)
      rates.direct.push(await fps(direct))
    }
    await using ours = await openBrowserDesktop(world.place, 'film')
    const [before, threadBefore] = [await world.ask('cpu'), await world.ask('threadCpu')]
    const rate = await fps(ours)
    rates.ours.push(rate)
    rates.cpu.push(((await world.ask('cpu')) - before) / (rate * (seconds + 1.5)))
    rates.thread.push(((await world.ask('threadCpu')) - threadBefore) / (rate * (seconds + 1.5)))
    rates.bytes.push(ours.bytes / (rate * (seconds + 1.5)))
  }
  const [ours, value] = [median(rates.ours), median(rates.direct)]
  report({
    measure: `pictures a second, ${measured}, all of it moving`,
    ours,
    unit: 'fps',
    against: { name: 'RDP straight', value },
    aim: { text: `>= ${aims.fps}x`, holds: ours >= aims.fps * value },
  })
  note(
    `the proxy takes ${(median(rates.cpu) * 1000).toFixed(1)} ms of processor time, ${(median(rates.thread) * 1000).toFixed(1)} of them in its own thread, and sends ${Math.round(median(rates.bytes) / 1024)} kB for each picture`,
  )

  const idle = await openBrowserTerminal(world.place)
  const type = await startEcho(idle)
  await type(100)
  const quiet = percentile(await type(400), 0.99)
  {
    await using film = await openBrowserDesktop(world.place, 'film')
    await fps(film)
    const busy = percentile(await type(400), 0.99)
    report({
      measure: 'echo of a terminal p99 while a desktop plays',
      ours: busy,
      unit: 'ms',
      against: { name: 'without the desktop', value: quiet },
      aim: { text: `<= ${aims.echo} ms`, holds: busy <= aims.echo },
    })
    film.stall(true)
    await wait(1000)
    const before = (await world.ask('usage')).rss
    await wait(seconds * 1000)
    const grown = ((await world.ask('usage')).rss - before) / 2 ** 20
    report({
      measure: `memory more after ${seconds} s of a browser that does not read`,
      ours: grown,
      unit: 'MB',
      aim: { text: `<= ${aims.memory} MB`, holds: grown <= aims.memory },
    })
  }
  await idle[Symbol.asyncDispose]()
}

async function measureKeys(world: WorldProcess): Promise<void> {
  await using server = await startScreen('keys')
  await register(world, 'keys', server)
  const times = { direct: [] as number[], ours: [] as number[] }
  for (let turn = 0; turn < turns; turn += 1) {
    {
      await using direct = await openDirectDesktop(server)
      await wait(1500)
      times.direct.push(percentile(await keyTimes(direct), 0.95))
    }
    await using ours = await openBrowserDesktop(world.place, 'keys')
    await wait(1500)
    times.ours.push(percentile(await keyTimes(ours), 0.95))
  }
  const [ours, value] = [median(times.ours), median(times.direct)]
  report({
    measure: 'key to picture p95',
    ours,
    unit: 'ms',
    against: { name: 'RDP straight', value },
    aim: { text: `<= raw + ${aims.key} ms`, holds: ours <= value + aims.key },
  })
}

const why = whyNoXrdp()
if (why) skip('desktops', why)
else {
  await using world = await startWorldProcess()
  await measureFrames(world)
  await measureKeys(world)
}

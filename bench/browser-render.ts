/** P2: a browser's terminal under 40 MB of coloured listing, against the emulator alone in Node; Ctrl-C while `yes` runs; and 200 tabs. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import { chromium, type Page } from 'playwright-core'
import { requireProgram, whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { openPlainPage, type PlainPage } from './drivers/plain-page.ts'
import { startWorldProcess, type Place } from './drivers/world-process.ts'
import { note, report, skip } from './report.ts'
import { median } from './statistics.ts'

const megabytes = 40
const runs = 3
const aims = { rendered: 0.6, interrupt: 300, longestTask: 500 }
const tabCount = 200
const patience = 120_000
const args = ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update']

/** Lines as a coloured `ls -lR` prints them. */
function listing(): Buffer {
  const lines: string[] = []
  for (let length = 0, index = 0; length < megabytes * 1e6; index += 1) {
    const colour = [34, 32, 36, 31][index % 4] ?? 0
    const line = `-rw-r--r-- 1 root root ${String((index * 7919) % 1e7).padStart(8)} Nov 21 10:${String(index % 60).padStart(2, '0')} \u001b[01;${colour}mfile-${index}.tar.gz\u001b[0m\n`
    lines.push(line)
    length += line.length
  }
  return Buffer.from(lines.join(''))
}

/** MB/s of the emulator without a screen, in pieces as the browser gets them. */
async function emulatorAlone(bytes: Buffer): Promise<number> {
  const terminal = new xterm.Terminal({ allowProposedApi: true, cols: 170, rows: 48, scrollback: 1000, convertEol: true })
  const started = performance.now()
  for (let at = 0; at < bytes.length; at += 65_536)
    await new Promise<void>((resolve) => terminal.write(bytes.subarray(at, at + 65_536), resolve))
  return bytes.length / 1e6 / ((performance.now() - started) / 1000)
}

const cookiesOf = ({ cookie }: Place): { name: string; value: string }[] =>
  cookie.split('; ').map((pair) => ({ name: pair.slice(0, pair.indexOf('=')), value: pair.slice(pair.indexOf('=') + 1) }))

/** Resolves in the page's own time when a line of the screen matches; answers the milliseconds of its clock. */
const seen = async (evaluate: (expression: string) => Promise<unknown>, pattern: string): Promise<number> =>
  Number(
    await evaluate(`new Promise((resolve) => {
      const wanted = new RegExp(${JSON.stringify(pattern)})
      const look = () => {
        const rows = [...document.querySelectorAll('.xterm-rows > div')]
        if (rows.some((row) => wanted.test((row.textContent ?? '').replaceAll('\u00a0', ' ').trimEnd()))) resolve(performance.now())
        else requestAnimationFrame(look)
      }
      look()
    })`),
  )
const clock = async ({ evaluate }: PlainPage): Promise<number> => Number(await evaluate('performance.now()'))

async function rendered(page: PlainPage, file: string, bytes: number, run: number): Promise<number> {
  await page.type(`clear; cat ${file}; echo end-$((${run}+40))`)
  const started = await clock(page)
  const done = seen(page.evaluate, `^end-${run + 40}$`)
  await page.type('\n')
  return bytes / 1e6 / (((await done) - started) / 1000)
}

/** Milliseconds from the key to the shell's prompt. */
async function interrupted(page: PlainPage): Promise<number> {
  await page.type('clear; yes\n')
  await seen(page.evaluate, '^y$')
  await new Promise((resolve) => setTimeout(resolve, 2000))
  const prompt = seen(page.evaluate, '[$#]$')
  const pressed = await clock(page)
  await page.control('c')
  return (await prompt) - pressed
}

async function manyTabs(page: Page, { origin, cluster, login, ssh }: Place): Promise<void> {
  await page.addInitScript(() => {
    const tasks: number[] = []
    Reflect.set(window, 'longTasks', tasks)
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
  })
  await page.goto(`${origin}/web/cluster/${cluster}/console`)
  await page.evaluate(
    ({ count, target }) =>
      sessionStorage.setItem(
        'sallyport_console_tabs',
        JSON.stringify({ user: 'alice', tabs: Array.from({ length: count }, () => ({ target })) }),
      ),
    { count: tabCount, target: { kind: 'new', clusterId: cluster, serverId: ssh.id, login } },
  )
  // What the page keeps when it goes would take the place of it.
  await page.evaluate(() => addEventListener('pagehide', (event) => event.stopImmediatePropagation(), { capture: true }))
  const started = performance.now()
  await page.goto(`${origin}/web/cluster/${cluster}/console/nodes`)
  await page.waitForFunction((count) => document.querySelectorAll('[role="tab"]').length === count + 1, tabCount, { timeout: patience })
  await page.waitForFunction(
    () => !document.querySelector('[role="tab"]')?.parentElement?.parentElement?.textContent?.includes('connecting'),
    undefined,
    { timeout: patience },
  )
  const seconds = (performance.now() - started) / 1000
  const tasks = await page.evaluate(() => Reflect.get(window, 'longTasks') as number[])
  const before = await page.evaluate(() => performance.now())
  const switched = seen((expression) => page.evaluate(expression), '[$#]$')
  await page.locator('[role="tab"]').nth(100).click()
  const took = (await switched) - before
  const heap = await page.evaluate(() => (Reflect.get(performance, 'memory') as { usedJSHeapSize: number }).usedJSHeapSize)
  const longest = Math.max(0, ...tasks)
  report({
    measure: `longest task of the page while ${tabCount} tabs come back`,
    ours: longest,
    unit: 'ms',
    aim: { text: `<= ${aims.longestTask} ms`, holds: longest <= aims.longestTask },
  })
  note(
    `${tabCount} sessions were open after ${seconds.toFixed(1)} s; showing one of them took ${took.toFixed(0)} ms; the page's heap is ${(heap / 1e6).toFixed(0)} MB`,
  )
}

async function measureOne(place: Place, file: string, bytes: Buffer): Promise<void> {
  await using page = await openPlainPage()
  await page.open(`${place.origin}/web/cluster/${place.cluster}/console/node/${place.ssh.id}/${place.login}`, cookiesOf(place))
  await seen(page.evaluate, '[$#]$')
  const ours: number[] = []
  const alone: number[] = []
  for (let run = 0; run < runs; run += 1) {
    alone.push(await emulatorAlone(bytes))
    ours.push(await rendered(page, file, bytes.length, run))
  }
  report({
    measure: `${megabytes} MB of coloured listing rendered by a browser`,
    ours: median(ours),
    unit: 'MB/s',
    against: { name: 'emulator alone in Node', value: median(alone) },
    aim: { text: `>= ${aims.rendered}`, holds: median(ours) >= aims.rendered * median(alone) },
  })
  const stops: number[] = []
  for (let run = 0; run < runs; run += 1) stops.push(await interrupted(page))
  report({
    measure: 'Ctrl-C to the prompt while yes runs',
    ours: median(stops),
    unit: 'ms',
    aim: { text: `< ${aims.interrupt} ms`, holds: median(stops) < aims.interrupt },
  })
  note(
    `MB/s in turn: browser ${ours.map((rate) => rate.toFixed(1)).join(' ')}, emulator ${alone.map((rate) => rate.toFixed(1)).join(' ')}; Ctrl-C: ${stops.map((ms) => ms.toFixed(0)).join(' ')} ms`,
  )
  note('Chromium without a graphics unit: the console draws with elements there, and so does this; a software WebGL would be slower.')
}

const whyNot = whyNoProgram('chromium') ?? whyNoProgram('sshd') ?? whyNoProgram('ssh')
if (whyNot) skip('terminal rendered by a browser', whyNot)
else {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  const file = join(folder, 'listing')
  await writeFile(file, listing())
  const bytes = await readFile(file)
  await using world = await startWorldProcess()
  try {
    await measureOne(world.place, file, bytes)
    await using browser = await chromium.launch({ executablePath: requireProgram('chromium'), args })
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const url = world.place.origin.replace(/^http:/, 'https:')
    await context.addCookies(cookiesOf(world.place).map((one) => ({ ...one, url, secure: true })))
    const many = await context.newPage()
    many.setDefaultTimeout(patience)
    await manyTabs(many, world.place)
  } finally {
    await rm(folder, { recursive: true })
  }
}

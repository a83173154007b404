/** P1: `cat` of a large text through the browser's socket, recorded, against `ssh -tt` and wetty to the same server; and the proxy's memory while a browser does not read. */
import { mkdtemp, open, rm } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { startBareClient } from './drivers/bare-client.ts'
import { openBrowserTerminal } from './drivers/browser-terminal.ts'
import { openSshTerminal } from './drivers/ssh-terminal.ts'
import { awaitMark, printMark, run, type Terminal } from './drivers/terminal.ts'
import { startWetty, whyNoWetty } from './drivers/wetty.ts'
import { startWorldProcess, type WorldProcess } from './drivers/world-process.ts'
import { note, report, skip } from './report.ts'
import { median } from './statistics.ts'

const runs = 5
const lines = 2_600_000
const lineLength = 77
const megabytes = (lines * lineLength) / 1e6
/** Less for the slowest of the three; its rate is what counts. */
const wettyLines = lines / 4
const aim = 0.85
const aimOfWetty = 2
/** Bytes that may come to the proxy's memory while a browser stalls. */
const stallAim = 16e6
const stallTime = 10_000

async function writeText(file: string): Promise<void> {
  const block = Array.from({ length: 1000 }, () => `${randomBytes(57).toString('base64')}\n`).join('')
  const handle = await open(file, 'w')
  for (let written = 0; written < lines; written += 1000) await handle.write(block)
  await handle.close()
}

/** MB/s of the file's own bytes. Everything has to arrive. */
async function rateOf(terminal: Terminal, file: string, count: number): Promise<number> {
  await run(terminal, 'true')
  const started = performance.now()
  const bytes = await run(terminal, `head -n ${count} ${file}`)
  const seconds = (performance.now() - started) / 1000
  if (bytes < count * (lineLength + 1)) throw new Error(`only ${bytes} bytes of ${count} lines arrived`)
  return (count * lineLength) / 1e6 / seconds
}

async function stalledMemory(world: WorldProcess, file: string): Promise<void> {
  await using terminal = await openBrowserTerminal(world.place)
  await run(terminal, 'true')
  const before = await world.ask('usage')
  const done = awaitMark(terminal, 'BENCH-ALL')
  terminal.write(`cat ${file}; ${printMark('BENCH-ALL')}\n`)
  terminal.stall(true)
  let most = 0
  for (const deadline = performance.now() + stallTime; performance.now() < deadline;) {
    await new Promise((resolve) => setTimeout(resolve, 500))
    most = Math.max(most, (await world.ask('usage')).rss)
  }
  const growth = most - before.rss
  terminal.stall(false)
  const bytes = await done
  if (bytes < lines * (lineLength + 1)) throw new Error(`only ${bytes} bytes arrived after the stall`)
  report({
    measure: `memory added while a browser stalls ${stallTime / 1000} s`,
    ours: growth / 1e6,
    unit: 'MB',
    aim: { text: `<= ${stallAim / 1e6} MB`, holds: growth <= stallAim },
  })
}

const whyNoSshd = whyNoProgram('sshd') ?? whyNoProgram('ssh')
if (whyNoSshd) skip('terminal throughput', whyNoSshd)
else {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  try {
    const file = join(folder, 'text')
    await writeText(file)
    await using world = await startWorldProcess()
    const { place } = world
    const rates = { ours: [] as number[], raw: [] as number[], wetty: [] as number[], bare: [] as number[] }
    const whyNo = await whyNoWetty()
    await using wetty = whyNo === undefined ? await startWetty(place) : undefined
    await using bare = await startBareClient(world)
    let cpuSeconds = 0
    let bareCpuSeconds = 0
    for (let count = 0; count < runs; count += 1) {
      {
        await using terminal = openSshTerminal(place.ssh)
        rates.raw.push(await rateOf(terminal, file, lines))
      }
      {
        await using terminal = await openBrowserTerminal(place)
        const before = await world.ask('cpu')
        rates.ours.push(await rateOf(terminal, file, lines))
        cpuSeconds += (await world.ask('cpu')) - before
      }
      const cost = await bare.run({ command: `head -n ${lines} ${file}`, onTerminal: true })
      rates.bare.push(megabytes / cost.seconds)
      bareCpuSeconds += cost.cpuSeconds
      if (wetty) {
        await using terminal = await wetty.open()
        rates.wetty.push(await rateOf(terminal, file, wettyLines))
      }
    }
    const [ours, raw] = [median(rates.ours), median(rates.raw)]
    const measure = `terminal, ${megabytes.toFixed(0)} MB of text, recorded`
    report({ measure, ours, unit: 'MB/s', against: { name: 'ssh -tt', value: raw }, aim: { text: `>= ${aim}`, holds: ours >= aim * raw } })
    const other = median(rates.wetty)
    if (wetty)
      report({
        measure,
        ours,
        unit: 'MB/s',
        against: { name: 'wetty', value: other },
        aim: { text: `>= ${aimOfWetty}`, holds: ours >= aimOfWetty * other },
      })
    else skip('terminal against wetty', whyNo ?? '')
    const limit = median(rates.bare)
    report({
      measure: 'the same by a bare SSH client: a proxy that costs nothing',
      ours: limit,
      unit: 'MB/s',
      against: wetty ? { name: 'wetty', value: other } : { name: 'ssh -tt', value: raw },
    })
    report({
      measure: 'processor time of the proxy for 100 MB of it',
      ours: (cpuSeconds / runs / megabytes) * 100,
      unit: 's',
      against: { name: 'bare SSH client', value: (bareCpuSeconds / runs / megabytes) * 100 },
    })
    note(
      `MB/s in turn: ours ${rates.ours.map(Math.round).join(' ')}, ssh ${rates.raw.map(Math.round).join(' ')}, bare client ${rates.bare.map(Math.round).join(' ')}, wetty ${rates.wetty.map(Math.round).join(' ')}`,
    )
    await stalledMemory(world, file)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** P17: one large file through the proxy, down and up, against `scp` to the same server in the same run; and the proxy's memory meanwhile. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { callPath, callSearch } from '@sallyport/wire/call.ts'
import { download } from '@sallyport/wire/calls/transfer.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { note, report, skip } from './report.ts'
import { median } from './statistics.ts'
import { startWorldProcess, type Place } from './drivers/world-process.ts'

const runs = 3
const megabytes = 512
const aim = 0.5
/** Bytes that a copy may add to the proxy's memory, however large the file is. */
const memoryAim = 64e6
const stallTime = 5000

async function writeFile(file: string): Promise<void> {
  const block = randomBytes(1e6)
  const handle = await open(file, 'w')
  for (let written = 0; written < megabytes; written += 1) await handle.write(block)
  await handle.close()
}

async function rateOf(copy: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await copy()
  return megabytes / ((performance.now() - started) / 1000)
}

async function scp({ ssh }: Place, from: string, to: string): Promise<void> {
  const child = spawn('scp', ['-q', '-F', ssh.configFile, from, to], { stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number]
  if (code !== 0) throw new Error(`scp ended with ${code}`)
}

function send(place: Place, method: 'GET' | 'POST', location: string, length?: number) {
  const { origin, cookie, bearer, cluster, login, ssh } = place
  const path = callPath(download.path, { clusterId: cluster, serverId: ssh.id, login })
  return request(origin + path + callSearch({ location, filename: basename(location) }), {
    method,
    headers: { cookie, authorization: `Bearer ${bearer}`, ...(length !== undefined && { 'content-length': length }) },
  })
}

async function answerOf(sent: ReturnType<typeof send>): Promise<IncomingMessage> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  if (answer.statusCode !== 200) throw new Error(`the proxy answered ${answer.statusCode}`)
  return answer
}

async function down(place: Place, file: string, target: string): Promise<void> {
  await pipeline(await answerOf(send(place, 'GET', file).end()), createWriteStream(target))
  const { size } = await stat(target)
  if (size !== megabytes * 1e6) throw new Error(`only ${size} bytes arrived`)
}

async function up(place: Place, file: string, target: string): Promise<void> {
  const sent = send(place, 'POST', target, megabytes * 1e6)
  const answered = answerOf(sent)
  await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), sent)
  ;(await answered).resume()
}

/** The most that a process holds in memory while `during` runs, in bytes. */
async function peakOf(pid: number, during: () => Promise<unknown>): Promise<number> {
  let most = 0
  const read = async (): Promise<void> => {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
    most = Math.max(most, Number(kilobytes) * 1024)
  }
  const timer = setInterval(() => void read(), 100)
  await during()
  clearInterval(timer)
  await read()
  return most
}

const whyNot = whyNoProgram('sshd') ?? whyNoProgram('scp') ?? (process.platform === 'linux' ? undefined : 'memory is read from /proc')
if (whyNot) skip('file transfer', whyNot)
else {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
  try {
    const file = join(folder, 'file')
    const target = join(folder, 'copy')
    await writeFile(file)
    await using world = await startWorldProcess()
    const { place, pid } = world
    const remote = `${place.ssh.host}:`
    const rates = { down: [] as number[], scpDown: [] as number[], up: [] as number[], scpUp: [] as number[] }
    await down(place, file, target) // the first run of the code is nobody's figure
    const before = (await world.ask('usage')).rss
    let peak = 0
    for (let count = 0; count < runs; count += 1) {
      rates.scpDown.push(await rateOf(() => scp(place, remote + file, target)))
      peak = Math.max(peak, await peakOf(pid, async () => rates.down.push(await rateOf(() => down(place, file, target)))))
      rates.scpUp.push(await rateOf(() => scp(place, file, remote + target)))
      peak = Math.max(peak, await peakOf(pid, async () => rates.up.push(await rateOf(() => up(place, file, target)))))
    }
    for (const [what, mine, raw] of [
      ['download', rates.down, rates.scpDown],
      ['upload', rates.up, rates.scpUp],
    ] as const) {
      const [ours, value] = [median(mine), median(raw)]
      report({
        measure: `${what} of ${megabytes} MB`,
        ours,
        unit: 'MB/s',
        against: { name: 'scp', value },
        aim: { text: `>= ${aim}`, holds: ours >= aim * value },
      })
    }
    report({
      measure: `memory added by copying ${megabytes} MB`,
      ours: (peak - before) / 1e6,
      unit: 'MB',
      aim: { text: `<= ${memoryAim / 1e6} MB`, holds: peak - before <= memoryAim },
    })
    const stalled = await peakOf(pid, async () => {
      const answer = await answerOf(send(place, 'GET', file).end())
      answer.pause()
      await new Promise((resolve) => setTimeout(resolve, stallTime))
      answer.destroy()
    })
    note(`a browser that stalls ${stallTime / 1000} s adds ${((stalled - before) / 1e6).toFixed(0)} MB`)
    const inTurn = Object.entries(rates).map(([name, values]) => `${name} ${values.map(Math.round).join(' ')}`)
    note(`MB/s in turn: ${inTurn.join(', ')}`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

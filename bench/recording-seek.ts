/** P18: opening a recording of four hours in the player and going anywhere in it, against fetching all of it first. */
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { requireProgram, whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { callPath, callSearch } from '@sallyport/wire/call.ts'
import { outline } from '@sallyport/wire/calls/recordings.ts'
import { recordingStream } from '@sallyport/wire/calls/playback.ts'
import { recordingPieceLimit } from '@sallyport/wire/limits.ts'
import { makeRecording } from './drivers/recordings.ts'
import { startWorldProcess } from './drivers/world-process.ts'
import { note, report, skip } from './report.ts'
import { median, percentile } from './statistics.ts'

const hours = 4
const megabytes = Number(process.env['SALLYPORT_BENCH_MEGABYTES'] ?? 200)
const rounds = 9
const seeks = 100
const aims = { firstFrame: 300, seekMedian: 200, seek: 250, share: 0.02 } as const

const whyNot = whyNoProgram('chromium')
if (whyNot) skip('seek in a long recording', whyNot)
else {
  await using world = await startWorldProcess()
  const { origin, cookie, bearer, cluster, dataDir } = world.place
  const made = await makeRecording(join(dataDir, 'recordings'), { hours, megabytes, seed: 1 })
  const params = { clusterId: cluster, sid: made.sid }
  const get = (path: string): Promise<Response> => fetch(origin + path, { headers: { cookie, authorization: `Bearer ${bearer}` } })
  const begun = performance.now()
  // Asking for them makes the key frames.
  while (!(await get(callPath(outline.path, params))).ok) await new Promise((resolve) => setTimeout(resolve, 500))
  note(`the key frames and the text index of ${megabytes} MB took ${Math.round((performance.now() - begun) / 1000)} s in their thread`)

  const all = performance.now()
  for (let offset = 0; offset < made.bytes; offset += recordingPieceLimit)
    await (await get(callPath(recordingStream.path, params) + callSearch({ offset }))).arrayBuffer()
  const fetchAll = performance.now() - all

  const browser = await chromium.launch({ executablePath: requireProgram('chromium'), args: ['--no-sandbox', '--disable-gpu'] })
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const url = origin.replace('http:', 'https:')
  await context.addCookies(
    cookie.split('; ').map((pair) => {
      const [name = '', ...value] = pair.split('=')
      return { name, value: value.join('='), url, secure: true, httpOnly: true }
    }),
  )
  const page = await context.newPage()
  const address = `${origin}/web/cluster/${cluster}/session/${made.sid}?recordingType=ssh&find=${'z'.repeat(12)}`
  const opened: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    await page.goto(address)
    opened.push(
      await page.evaluate(async () => {
        const shown = (): boolean => /==/.test(document.querySelector('.xterm-rows')?.textContent ?? '')
        while (!shown()) await new Promise(requestAnimationFrame)
        const asked = performance.getEntriesByType('resource').find(({ name }) => name.endsWith('/outline'))
        return performance.now() - (asked?.startTime ?? 0)
      }),
    )
  }
  /** Of the recording, as the page got them, with what was fetched ahead. */
  const fetched = (): Promise<number> =>
    page.evaluate(() => {
      const parts = performance.getEntriesByType('resource').filter((entry) => entry instanceof PerformanceResourceTiming)
      const bytes = parts
        .filter(({ name }) => /\/(stream|keyframe)\?/.test(name))
        .reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0)
      performance.clearResourceTimings()
      return bytes
    })
  const times: number[] = []
  const shares: number[] = []
  for (let index = 0; index < seeks; index += 1) {
    const second = (index * 9973) % (hours * 3600)
    await fetched()
    times.push(
      await page.evaluate(
        async ({ at, length }) => {
          const line = document.querySelector('[role=slider]')
          if (!line) throw new Error('there is no slider')
          const box = line.getBoundingClientRect()
          const begin = performance.now()
          const clientX = box.left + (at / length) * box.width
          line.setPointerCapture = () => undefined
          line.dispatchEvent(new PointerEvent('pointerdown', { clientX, pointerId: 1, bubbles: true }))
          const near = (): boolean => {
            const text = document.querySelector('.xterm-rows')?.textContent ?? ''
            const shown = Number([.../== (\d+) ==/g[Symbol.matchAll](text)].at(-1)?.[1] ?? Number.NaN)
            return Math.abs(shown - at) <= 2 && document.querySelector('[class*=busy]') === null
          }
          while (!near()) await new Promise(requestAnimationFrame)
          return performance.now() - begin
        },
        { at: second, length: made.durationMs / 1000 },
      ),
    )
    await page.waitForTimeout(50) // what is fetched ahead counts as well
    shares.push((await fetched()) / made.bytes)
  }
  await browser.close()
  const measure = `${hours} h, ${megabytes} MB`
  report({
    measure: `first frame of a recording, ${measure}`,
    ours: median(opened),
    unit: 'ms',
    against: { name: 'fetching all of it', value: fetchAll },
    aim: { text: `<= ${aims.firstFrame} ms`, holds: median(opened) <= aims.firstFrame },
  })
  const middle = median(times)
  report({
    measure: `seek in a recording, ${measure}, median`,
    ours: middle,
    unit: 'ms',
    aim: { text: `< ${aims.seekMedian} ms`, holds: middle < aims.seekMedian },
  })
  const worst = percentile(times, 0.99)
  report({
    measure: `seek in a recording, ${measure}, p99`,
    ours: worst,
    unit: 'ms',
    aim: { text: `<= ${aims.seek} ms`, holds: worst <= aims.seek },
  })
  const most = percentile(shares, 0.99)
  report({
    measure: 'share of the recording read per seek, p99',
    ours: most * 100,
    unit: '%',
    aim: { text: `<= ${aims.share * 100} %`, holds: most <= aims.share },
  })
}

/** P20: terminals through a restart of the proxy, and who knocks on its door meanwhile. */
import { get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { startProxyProcess } from '@sallyport/testkit/started-proxy.ts'
import { ownLogin } from '@sallyport/testkit/people.ts'
import { TerminalClient } from '@sallyport/testkit/terminal-client.ts'
import { note, report } from './report.ts'
import { percentile } from './statistics.ts'

const terminals = 500
/** Opened at a time. */
const abreast = 20
const lineEvery = 200
const requestEvery = 20
/** Before the restart and after it. */
const watchedSeconds = 15
const aim = { share: 99, gap: 5000 }
/** Numbered lines without a process for each pause. */
const counter = `exec 9<> <(:); i=0; while i=$((i+1)); do echo "n=$i."; read -t ${lineEvery / 1000} -u 9; done\r`

interface Watched {
  readonly terminal: TerminalClient
  /** When output came last, and the longest time without any since it was asked for. */
  last: number
  gap: number
}

await using proxy = await startProxyProcess({ flags: { logLevel: 'error' } })
const alice = await proxy.signIn('alice')

async function open(): Promise<Watched> {
  const terminal = await TerminalClient.open(alice, { cluster: proxy.cluster, serverId: proxy.hostId, login: ownLogin })
  await terminal.frame('s')
  const watched = { terminal, last: performance.now(), gap: 0 }
  terminal.socket.on('message', () => {
    const now = performance.now()
    watched.gap = Math.max(watched.gap, now - watched.last)
    watched.last = now
  })
  terminal.type(counter)
  await terminal.see('n=2.')
  return watched
}

/** Asks on a new connection each time, however long answers take. Ended by its result, which tells what came of it. */
function knock(): () => Promise<{ asked: number; errors: number; times: number[] }> {
  const times: number[] = []
  const all: Promise<boolean>[] = []
  const timer = setInterval(() => {
    const begun = performance.now()
    all.push(
      new Promise((resolve) => {
        const request = get({ host: '127.0.0.1', port: proxy.port, path: '/web/login', agent: false }, (response) => {
          response.resume().on('end', () => {
            times.push(performance.now() - begun)
            resolve(response.statusCode === 200)
          })
        })
        request.on('error', () => resolve(false))
      }),
    )
  }, requestEvery)
  return async () => {
    clearInterval(timer)
    const outcomes = await Promise.all(all)
    return { asked: outcomes.length, errors: outcomes.filter((isFine) => !isFine).length, times }
  }
}

const watched: Watched[] = []
while (watched.length < terminals) watched.push(...(await Promise.all(Array.from({ length: abreast }, open))))

async function longestGapDuring(act: () => Promise<unknown>): Promise<number> {
  for (const one of watched) Object.assign(one, { gap: 0, last: performance.now() })
  await act()
  const now = performance.now()
  return Math.max(...watched.map(({ gap, last }) => Math.max(gap, now - last)))
}

const calmKnocks = knock()
const calmGap = await longestGapDuring(() => wait(watchedSeconds * 1000))
const calm = await calmKnocks()
let restartSeconds = 0
const knocks = knock()
const gap = await longestGapDuring(async () => {
  const begun = performance.now()
  await proxy.restart()
  restartSeconds = (performance.now() - begun) / 1000
  await wait(watchedSeconds * 1000)
})
const during = await knocks()

const isWhole = ({ terminal }: Watched): boolean => {
  const numbers = [...terminal.output.matchAll(/n=(\d+)\./g)].map(([, number]) => Number(number))
  return !terminal.closedByServer && numbers.length > 0 && numbers.every((number, index) => number === index + 1)
}
const share = (100 * watched.filter(isWhole).length) / watched.length
report({
  measure: `of ${terminals} terminals, without a byte lost or doubled through a restart`,
  ours: share,
  unit: '%',
  aim: { text: `>= ${aim.share} %`, holds: share >= aim.share },
})
report({
  measure: `longest time without output, lines every ${lineEvery} ms`,
  ours: gap,
  unit: 'ms',
  against: { name: 'the same without a restart', value: calmGap },
  aim: { text: `<= ${aim.gap} ms`, holds: gap <= aim.gap },
})
report({
  measure: `refused of ${during.asked} requests on new connections meanwhile`,
  ours: during.errors,
  unit: '',
  aim: { text: '0', holds: during.errors === 0 },
})
report({
  measure: 'answer to such a request p99',
  ours: percentile(during.times, 0.99),
  unit: 'ms',
  against: { name: 'without a restart', value: percentile(calm.times, 0.99) },
})
note(`the new process served ${restartSeconds.toFixed(1)} s after it was asked for`)

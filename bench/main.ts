/** `npm run bench [-- NAME ...]`: measures the product against peers and raw limits, and prints one table. */
import { fork } from 'node:child_process'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import type { Report, Row } from './report.ts'
import { formatTable } from './table.ts'

/** Each runs in a process of its own; the time limit is for one that hangs. */
const benches = {
  P1: { file: 'terminal-throughput.ts', minutes: 10 },
  P2: { file: 'browser-render.ts', minutes: 6 },
  P3: { file: 'keystroke-echo.ts', minutes: 4 },
  P4: { file: 'native-ssh.ts', minutes: 12 },
  P5: { file: 'node-list.ts', minutes: 5 },
  P6: { file: 'idle-terminals.ts', minutes: 8 },
  P7: { file: 'page-weight.ts', minutes: 3 },
  P8: { file: 'audit-writes.ts', minutes: 4 },
  P9: { file: 'start-time.ts', minutes: 4 },
  P10: { file: 'oidc-round-trip.ts', minutes: 2 },
  P11: { file: 'desktop-frames.ts', minutes: 5 },
  P12: { file: 'access-decisions.ts', minutes: 2 },
  P13: { file: 'lock-to-close.ts', minutes: 10 },
  P14: { file: 'sign-in.ts', minutes: 3 },
  P15: { file: 'idle-agents.ts', minutes: 4 },
  P16: { file: 'tunnel-speed.ts', minutes: 8 },
  P17: { file: 'file-transfer.ts', minutes: 5 },
  P18: { file: 'recording-seek.ts', minutes: 10 },
  P19: { file: 'recording-search.ts', minutes: 20 },
  P20: { file: 'restart.ts', minutes: 6 },
  P21: { file: 'hostile-peers.ts', minutes: 10 },
  P22: { file: 'killed-proxy.ts', minutes: 15 },
  P23: { file: 'soak.ts', minutes: 15 },
  P24: { file: 'application-proxy.ts', minutes: 4 },
  P25: { file: 'postgres-proxy.ts', minutes: 8 },
  P26: { file: 'whole-lists.ts', minutes: 4 },
} as const
type Name = keyof typeof benches

const isName = (name: string): name is Name => Object.hasOwn(benches, name)

function chosen(args: readonly string[]): Name[] {
  const names = args.map((name) => name.toUpperCase())
  const unknown = names.filter((name) => !isName(name))
  if (unknown.length > 0) throw new Error(`There is no bench ${unknown.join(', ')}: choose from ${Object.keys(benches).join(', ')}.`)
  return args.length > 0 ? names.filter(isName) : Object.keys(benches).filter(isName)
}

/** Resolves with the reason when the bench failed. */
function run(name: Name, onReport: (report: Report) => void): Promise<string | undefined> {
  const { file, minutes } = benches[name]
  const child = fork(join(import.meta.dirname, file))
  const limit = setTimeout(() => child.kill(), minutes * 60_000)
  child.on('message', (message) => onReport(message as Report))
  return new Promise((resolve) =>
    child.on('close', (code, signal) => {
      clearTimeout(limit)
      if (signal === 'SIGTERM') resolve(`it took longer than ${minutes} minutes`)
      else resolve(code === 0 ? undefined : 'it failed, see above')
    }),
  )
}

const rows: Row[] = []
const remarks: string[] = []
for (const name of chosen(process.argv.slice(2))) {
  console.log(`${name} ${benches[name].file.replace('.ts', '').replaceAll('-', ' ')} ...`)
  const failure = await run(name, (report) => {
    if (report.kind === 'row') rows.push({ ...report.row, measure: `${name} ${report.row.measure}` })
    else remarks.push(report.kind === 'note' ? `${name}: ${report.text}` : `${name} ${report.measure}: skipped, ${report.reason}`)
  })
  if (failure === undefined) continue
  remarks.push(`${name}: ${failure}`)
  process.exitCode = 1
}
console.log(`\n${formatTable(rows)}\n`)
for (const remark of remarks) console.log(remark)
console.log(
  `Node ${process.versions.node}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)} at the end. Absolute figures are this machine's; ratios come from one run.`,
)

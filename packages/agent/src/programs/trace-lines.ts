/** The lines of bpftrace (trace-script.ts says which) put together to events. */
import type { ProgramEventWire } from '@sallyport/wire/program-watch.ts'
import { pieceLength } from './trace-script.ts'

export interface TraceListener {
  event(group: string, event: ProgramEventWire): void
  /** A control group was made: everything that was seen before has been told, as far as this line is ordered. */
  made(group: string): void
  /** How many events of a group were left out in all. */
  leftOut(group: string, total: number): void
  /** The kernel had no room for so many lines; nobody knows whose they were. */
  overrun(lines: number): void
}

/** An event of which more lines come. */
interface Begun {
  readonly group: string
  readonly program: string
  readonly ppid: number
  readonly flags: number
  /** Bytes of the arguments in all. */
  readonly length: number
  path: Buffer
  isPathWhole: boolean
  argv: Buffer
}

/** Events that are begun at a time; as many as there are processors would do. */
const maxBegun = 4096

const bytesOf = (hex: readonly string[]): Buffer => Buffer.from(hex.join(''), 'hex')
const untilNul = (bytes: Buffer): Buffer => {
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}
const textOf = (hex: readonly string[]): string => untilNul(bytesOf(hex)).toString('utf8')
/** Sockets of IPv6 name an address of IPv4 so. */
const plainAddress = (address = ''): string => (/^::ffff:[\d.]+$/u.test(address) ? address.slice('::ffff:'.length) : address)

const placeOf = (group: string, pid: string): { pid: number; cgroup_id: number } => ({ pid: Number(pid), cgroup_id: Number(group) })

/** Without the name that the program was called by. The end of one that is cut is not known, so it is left as it is. */
function argumentsOf(bytes: Buffer): string[] {
  const whole = bytes.at(-1) === 0 ? bytes.subarray(0, -1) : bytes
  return whole.toString('utf8').split('\0').slice(1)
}

export class TraceLines {
  readonly #listener: TraceListener
  readonly #begun = new Map<string, Begun>()

  constructor(listener: TraceListener) {
    this.#listener = listener
  }

  take(line: string): void {
    const leftOut = /^@lost\[(\d+)\]: (\d+)$/u.exec(line)
    if (leftOut) return this.#listener.leftOut(leftOut[1] ?? '', Number(leftOut[2]))
    const overrun = /^Lost (\d+) events$/u.exec(line)
    if (overrun) return this.#listener.overrun(Number(overrun[1]))
    const [what, ...fields] = line.trimEnd().split(' ')
    if (what === 'F') this.#listener.made(fields[0] ?? '')
    else if (what === 'N') this.#connection(fields)
    else if (what === 'E') this.#begin(fields, { ppid: Number(fields[2]), length: Number(fields[3]) })
    else if (what === 'B') this.#begin(fields, { flags: Number(fields[2]) }, 3)
    else if (what === 'P') this.#path(fields)
    else if (what === 'A') this.#arguments(fields)
    else if (what === 'X') this.#command(fields[0] ?? '')
    else if (what === 'O') this.#open(fields)
  }

  #begin([group = '', pid = '', ...rest]: string[], facts: Partial<Begun>, program = 4): void {
    if (this.#begun.size >= maxBegun) this.#begun.clear()
    this.#begun.set(pid, {
      group,
      ppid: 0,
      flags: 0,
      length: 0,
      ...facts,
      program: textOf(rest.slice(program - 2)),
      path: Buffer.alloc(0),
      isPathWhole: false,
      argv: Buffer.alloc(0),
    })
  }

  #path([pid = '', ...hex]: string[]): void {
    const begun = this.#begun.get(pid)
    if (!begun || begun.isPathWhole) return
    const piece = untilNul(bytesOf(hex))
    begun.path = Buffer.concat([begun.path, piece])
    // Pieces of a string end with a zero, pieces of memory do not; a shorter one is the last.
    begun.isPathWhole = piece.length < pieceLength - 1
  }

  #arguments([pid = '', ...hex]: string[]): void {
    const begun = this.#begun.get(pid)
    if (begun) begun.argv = Buffer.concat([begun.argv, bytesOf(hex)])
  }

  #command(pid: string): void {
    const begun = this.#take(pid)
    if (!begun) return
    const { group, program, path, argv, length, ppid } = begun
    this.#listener.event(group, {
      kind: 'command',
      ...placeOf(group, pid),
      program,
      path: path.toString('utf8'),
      argv: argumentsOf(argv),
      return_code: 0,
      ppid,
      ...(argv.length < length && { truncated: true }),
    })
  }

  #open([tid = '', result, pid = '']: string[]): void {
    const begun = this.#take(tid)
    if (!begun) return
    const { group, program, path, flags } = begun
    this.#listener.event(group, {
      kind: 'disk',
      ...placeOf(group, pid),
      program,
      path: path.toString('utf8'),
      flags,
      return_code: Math.min(Number(result), 0),
    })
  }

  #take(pid: string): Begun | undefined {
    const begun = this.#begun.get(pid)
    this.#begun.delete(pid)
    return begun
  }

  #connection([group = '', pid = '', from, to, port, ...hex]: string[]): void {
    this.#listener.event(group, {
      kind: 'network',
      ...placeOf(group, pid),
      program: textOf(hex),
      src_addr: plainAddress(from),
      dst_addr: plainAddress(to),
      dst_port: Number(port),
    })
  }
}

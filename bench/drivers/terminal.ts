/** A shell on a terminal, however it is reached, and what benches do with one. */

export interface Terminal extends AsyncDisposable {
  write(keys: string): void
  /** Gets every piece of output; replaced by whoever waits for something. */
  onOutput: (bytes: Buffer) => void
  /** Rejects when the shell is gone before its time. */
  readonly lost: Promise<never>
}

/** A command that prints `mark`, in a form in which the echo of its keys does not hold it. */
export const printMark = (mark: string): string => `printf '%s%s\\n' ${mark.slice(0, 1)} ${mark.slice(1)}`

/** Resolves with the number of bytes that came until `mark` was there. */
export function awaitMark(terminal: Terminal, mark: string): Promise<number> {
  const overlap = mark.length - 1
  let seen = 0
  let tail = Buffer.alloc(0)
  const found = new Promise<number>((resolve) => {
    terminal.onOutput = (bytes) => {
      seen += bytes.length
      const across = Buffer.concat([tail, bytes.subarray(0, overlap)])
      if (across.includes(mark) || bytes.includes(mark)) {
        terminal.onOutput = () => undefined
        resolve(seen)
      }
      tail = Buffer.from(
        bytes.length >= overlap ? bytes.subarray(bytes.length - overlap) : across.subarray(Math.max(0, across.length - overlap)),
      )
    }
  })
  return Promise.race([found, terminal.lost])
}

/** Runs a command and resolves when all its output is there, with the count of bytes. */
export function run(terminal: Terminal, command: string): Promise<number> {
  const done = awaitMark(terminal, 'BENCH-DONE')
  terminal.write(`${command}; ${printMark('BENCH-DONE')}\n`)
  return done
}

/** Milliseconds from each key to its echo by `cat` on a terminal in raw mode. The terminal is of no use afterwards. */
export async function startEcho(terminal: Terminal): Promise<(keys: number) => Promise<number[]>> {
  const ready = awaitMark(terminal, 'BENCH-RAW')
  terminal.write(`stty raw -echo; ${printMark('BENCH-RAW')}; exec cat\n`)
  await ready
  // The end of the mark's line.
  await new Promise((resolve) => setTimeout(resolve, 200))
  return async (keys) => {
    const times: number[] = []
    for (let key = 0; key < keys; key += 1) times.push(await Promise.race([echoOf(terminal), terminal.lost]))
    return times
  }
}

const echoOf = (terminal: Terminal): Promise<number> =>
  new Promise((resolve) => {
    const pressed = performance.now()
    terminal.onOutput = () => resolve(performance.now() - pressed)
    terminal.write('k')
  })

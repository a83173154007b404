/** What servers printed, as much of it as a summary is made of: of each the beginning and the end. */
export interface NodeOutput {
  hostname: string
  /** Why it did not run, or not to its end. */
  problem: string
  exitCode: number | undefined
  text: string
}

const perNode = 2000
const inAll = 24_000

/** Keeps the beginning and the end of what is added, and counts the rest. */
export class OutputSample {
  #head = ''
  #tail = ''
  #left = 0

  add(text: string): void {
    const room = Math.max(0, perNode / 2 - this.#head.length)
    this.#head += text.slice(0, room)
    const rest = this.#tail + text.slice(room)
    this.#left += Math.max(0, rest.length - perNode / 2)
    this.#tail = rest.slice(-perNode / 2)
  }

  get text(): string {
    return this.#left === 0 ? this.#head + this.#tail : `${this.#head}\n[${this.#left} characters left out]\n${this.#tail}`
  }
}

export function digestOf(outputs: readonly NodeOutput[]): string {
  let text = ''
  let left = 0
  for (const { hostname, problem, exitCode, text: output } of outputs) {
    const head = `Server ${hostname}, ${problem === '' ? `exit code ${exitCode ?? 'unknown'}` : `did not run: ${problem}`}:\n`
    if (text.length + head.length + output.length > inAll) left += 1
    else text += `${head}${output}\n\n`
  }
  return left === 0 ? text : `${text}[${left} more servers left out]\n`
}

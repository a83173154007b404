/** A terminal of OpenSSH's own client. */
import { spawn } from '@lydell/node-pty'
import type { IPty } from '@lydell/node-pty'
import type { NativeClient } from './native-client.ts'
import { requireProgram } from './targets/programs.ts'

/** A window on somebody's machine in which a program runs. */
export class NativeWindow implements Disposable {
  readonly pty: IPty
  output = ''
  readonly exit = Promise.withResolvers<number>()
  readonly #watchers = new Set<() => void>()
  #isOver = false

  constructor(client: NativeClient, args: readonly string[]) {
    this.pty = spawn(requireProgram('ssh'), ['-F', client.config, ...args], {
      cols: 90,
      rows: 30,
      env: { ...client.env, TERM: 'xterm' },
    })
    this.pty.onData((text) => {
      this.output += text
      this.#look()
    })
    this.pty.onExit(({ exitCode }) => {
      this.exit.resolve(exitCode)
      this.#isOver = true
      this.#look()
    })
  }

  /** Resolves once that is on the screen; rejects when the program ends first. */
  see(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        if (!this.output.includes(text) && !this.#isOver) return
        this.#watchers.delete(look)
        if (this.output.includes(text)) resolve()
        else reject(new Error(`it ended before it showed "${text}"; it showed: ${this.output.slice(-2000)}`))
      }
      this.#watchers.add(look)
      look()
    })
  }

  [Symbol.dispose](): void {
    this.pty.kill('SIGKILL')
  }

  #look(): void {
    for (const watcher of [...this.#watchers]) watcher()
  }
}

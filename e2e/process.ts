/** Sallyport as its own process, started as a person starts it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

export interface Running extends AsyncDisposable {
  readonly child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves with the line that matches, of what it says or complains of; rejects when the process ends first. */
  line(pattern: RegExp): Promise<string>
  /** Resolves with the exit code. */
  ended(): Promise<number | null>
}

export function run(
  program: string,
  args: readonly string[],
  { cwd = root, env = process.env }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Running {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  // A character may come in two pieces.
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text.stdout += piece))
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text.stderr += piece))
  const closed = once(child, 'close').then(() => child.exitCode)
  return {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    ended: () => closed,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const lines = [text.stdout, text.stderr].flatMap((said) => said.split('\n').slice(0, -1))
          const found = lines.find((line) => pattern.test(line))
          if (found === undefined) return
          child.stdout.off('data', look)
          child.stderr.off('data', look)
          resolve(found)
        }
        child.stdout.on('data', look)
        child.stderr.on('data', look)
        look()
        void closed.then((code) =>
          reject(new Error(`ended with ${code} before a line matched ${pattern}:\n${text.stdout}\n${text.stderr}`)),
        )
      }),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await closed
    },
  }
}

/** The command line on the Node that runs this test. */
export const sallyport = (...args: string[]): Running => run(process.execPath, [join(root, 'packages/cli/src/main.ts'), ...args])
/** The same with keys of its own in `home`. */
export const sallyportAt = (home: string, ...args: string[]): Running =>
  run(process.execPath, [join(root, 'packages/cli/src/main.ts'), ...args], { env: { ...process.env, SALLYPORT_HOME: home } })

/** Asks for what must not be seen: at a terminal nothing is echoed, from a pipe each answer is one line. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from './command-error.ts'

export interface Prompt extends Disposable {
  /** Throws CommandError when the input has ended. */
  secret(question: string): Promise<string>
}

export function openPrompt(): Prompt {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: process.stdin.isTTY })
  const answers = lines[Symbol.asyncIterator]()
  return {
    async secret(question) {
      process.stderr.write(question)
      const { value, done } = await answers.next()
      process.stderr.write('\n')
      if (done) throw new CommandError(`There was no answer to "${question.trim()}".`)
      return value
    },
    [Symbol.dispose]: () => lines.close(),
  }
}

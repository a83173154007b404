/** The process behind bare-client.ts: connects with what the first message says, then runs one command per message. */
import { once } from 'node:events'
import type { SshConnection } from '@sallyport/proxy/kinds/ssh/client.ts'
import { countPassingMemory } from '@sallyport/proxy/passing-memory.ts'
import type { Cost, Setting, Task } from './bare-client.ts'
import { connectTo } from './bare-connection.ts'
import { run, type Terminal } from './terminal.ts'

async function openTerminal(connection: SshConnection): Promise<Terminal> {
  const shell = await connection.shell({ term: 'xterm-256color', cols: 80, rows: 24 })
  const terminal: Terminal = {
    write: (keys) => void shell.write(keys),
    onOutput: () => undefined,
    lost: shell.exit.then(() => Promise.reject(new Error('the shell ended'))),
    async [Symbol.asyncDispose]() {
      shell.destroy()
      await shell.exit
    },
  }
  terminal.lost.catch(() => undefined)
  shell.on('data', (bytes: Buffer) => terminal.onOutput(bytes))
  return terminal
}

async function runCommand(connection: SshConnection, command: string): Promise<number> {
  const channel = await connection.exec(command)
  channel.end()
  channel.stderr.resume()
  let bytes = 0
  channel.on('data', (piece: Buffer) => (bytes += piece.length))
  const { code } = await channel.exit
  if (code !== 0) throw new Error(`the command ended with ${code}`)
  return bytes
}

async function costOf(work: () => Promise<number>): Promise<Cost> {
  const [started, cpu] = [performance.now(), process.cpuUsage()]
  const bytes = await work()
  const { user, system } = process.cpuUsage(cpu)
  return { bytes, seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 }
}

const ended = once(process, 'disconnect')
countPassingMemory()
const [setting] = (await once(process, 'message')) as [Setting]
await using connection = await connectTo(setting.place, setting.identity)
process.on('message', (task: Task) => {
  void (async () => {
    if (!task.onTerminal) return process.send?.(await costOf(() => runCommand(connection, task.command)))
    await using terminal = await openTerminal(connection)
    await run(terminal, 'true')
    return process.send?.(await costOf(() => run(terminal, task.command)))
  })()
})
process.send?.('ready')
await ended

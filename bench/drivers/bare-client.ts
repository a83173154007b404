/** An SSH client with nothing around it, in a process of its own: what any proxy needs at least, and the fastest that one could be. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Identity, Place, WorldProcess } from './world-process.ts'

export interface Setting {
  place: Place
  identity: Identity
}

export interface Task {
  command: string
  /** Typed into a shell on a terminal, instead of run as a command. */
  onTerminal: boolean
}

export interface Cost {
  /** Of output. */
  bytes: number
  seconds: number
  /** Of the client's process. */
  cpuSeconds: number
}

export interface BareClient extends AsyncDisposable {
  run(task: Task): Promise<Cost>
}

/** Connected to the world's OpenSSH server, past the proxy. */
export async function startBareClient(world: WorldProcess): Promise<BareClient> {
  const setting: Setting = { place: world.place, identity: await world.ask('identity') }
  const child = fork(join(import.meta.dirname, 'bare-client-child.ts'))
  const exited = once(child, 'exit')
  const ask = async (message: Setting | Task): Promise<unknown> => {
    const answer = Promise.race([once(child, 'message'), exited.then(() => Promise.reject(new Error('the bare client ended')))])
    child.send(message)
    return (await answer)[0]
  }
  await ask(setting)
  return {
    run: async (task) => (await ask(task)) as Cost,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await exited
    },
  }
}

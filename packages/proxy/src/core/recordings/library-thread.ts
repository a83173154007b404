/** The library's threads: started when there is something to do, and started again when they died. */
import { Worker } from 'node:worker_threads'
import { answerForm, stop } from './library-jobs.ts'
import type { Job, WorkerSettings } from './library-jobs.ts'

export interface LibraryThread extends AsyncDisposable {
  /** Rejects with what went wrong there. */
  ask(job: Job): Promise<unknown>
}

/** Milliseconds for a thread to come to the end of a step. */
const stopGrace = 2_000

const memory = { maxOldGenerationSizeMb: 512 } as const

/** Who looks something up does not wait behind what is made from recordings, which takes only the time that is left over. */
export function createLibraryThread(settings: Omit<WorkerSettings, 'isPatient'>): LibraryThread {
  const working = createThread({ ...settings, isPatient: true })
  const looking = createThread({ ...settings, isPatient: false })
  return {
    ask: (job) => (job.do === 'find' ? looking : working).ask(job),
    async [Symbol.asyncDispose]() {
      await Promise.all([working[Symbol.asyncDispose](), looking[Symbol.asyncDispose]()])
    },
  }
}

function createThread(settings: WorkerSettings): LibraryThread {
  let worker: Worker | undefined
  let next = 0
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()

  function start(): Worker {
    const started = new Worker(new URL('library-worker.ts', import.meta.url), { workerData: settings, resourceLimits: memory })
    // A proxy that has nothing else to do may end.
    started.unref()
    started.on('message', (message: unknown) => {
      const { id, value, error } = answerForm.parse(message)
      const asked = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) asked?.resolve(value)
      else asked?.reject(new Error(error))
    })
    const end = (reason: Error): void => {
      if (worker !== started) return
      worker = undefined
      for (const { reject } of waiting.values()) reject(reason)
      waiting.clear()
    }
    started.on('error', (error: unknown) => end(new Error('The thread that looks at recordings died.', { cause: error })))
    started.on('exit', () => end(new Error('The thread that looks at recordings has ended.')))
    return started
  }

  return {
    ask(job) {
      worker ??= start()
      next += 1
      const asked = Promise.withResolvers<unknown>()
      waiting.set(next, asked)
      worker.postMessage({ id: next, job }, [])
      return asked.promise
    },
    async [Symbol.asyncDispose]() {
      const ending = worker
      if (!ending) return
      const ended = new Promise((resolve) => ending.once('exit', resolve))
      // It ends between two steps. To be terminated in the middle of one may end the whole process: Node then aborts over a decompressor that is half made.
      ending.postMessage(stop, [])
      const timer = setTimeout(() => void ending.terminate(), stopGrace)
      await ended
      clearTimeout(timer)
    },
  }
}

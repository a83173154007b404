/** A thread that draws desktops: its part of what `painter-threads.ts` starts. */
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { parentPort } from 'node:worker_threads'
import { PaintedScreen } from './painted-screen.ts'
import type { Painted, PaintJob } from './painter.ts'

const screens = new Map<number, PaintedScreen>()

function paint(job: Exclude<PaintJob, { kind: 'size' | 'close' }>): Uint8Array<ArrayBuffer>[] {
  const screen = screens.get(job.screen)
  if (!screen) return []
  if (job.kind !== 'draw') return job.kind === 'take' ? screen.take() : screen.whole()
  const all = Buffer.from(job.updates.buffer)
  let at = 0
  for (const length of job.lengths) {
    screen.draw(all.subarray(at, at + length))
    at += length
  }
  return []
}

function answer(painted: Painted, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(painted, moved)
}

parentPort?.on('message', (job: PaintJob) => {
  if (job.kind === 'size') return void screens.set(job.screen, new PaintedScreen(job.width, job.height))
  if (job.kind === 'close') return void screens.delete(job.screen)
  try {
    const messages = paint(job)
    answer(
      { id: job.id, messages },
      messages.map(({ buffer }) => buffer),
    )
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    answer({ id: job.id, error: text, ...(error instanceof ProtocolError && { code: error.code }) })
  }
})

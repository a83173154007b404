import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream'

/**
 * A client's stream and the one that it reaches, joined both ways: each direction may end before the other, and what the far
 * side said before it closed still reaches the client. Resolves when both are closed.
 */
export async function joinStreams(near: Duplex, far: Duplex): Promise<void> {
  const closed = [near, far].map((stream) => new Promise((resolve) => stream.once('close', resolve)))
  const settle = (): void => {
    if (far.closed && near.writableFinished) near.destroy()
  }
  // One that closes before its end closes the other.
  pipeline(far, near, settle)
  // Not a pipeline: it would take what the client has not got yet along with a far side that closes.
  near.pipe(far)
  near.once('close', () => far.destroy())
  far.once('close', () => {
    near.unpipe(far)
    near.resume()
    settle()
  })
  await Promise.all(closed)
}

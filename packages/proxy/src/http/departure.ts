/** Sends people away without a request lost: each connection gets the answer to what it asks next, and is closed with it. */
import type { FastifyInstance } from 'fastify'

export interface Departure {
  begin(): void
  /** Requests that are being answered. */
  count(): number
}

/** To be called before the routes are there. */
export function prepareDeparture(app: FastifyInstance): Departure {
  let isLeaving = false
  let count = 0
  app.addHook('onRequest', async (_request, { raw }) => {
    if (isLeaving) raw.shouldKeepAlive = false
    count += 1
    raw.once('close', () => (count -= 1))
  })
  return { begin: () => void (isLeaving = true), count: () => count }
}

/** Bodies that a handler reads as they come, of any size and for as long as it takes. */
import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    streamed?: boolean
  }
}

/** So long a body that nobody wants any more is read, so that its sender gets to see the answer. */
const lingerTime = 5000

export const isStreamed = (request: FastifyRequest): boolean => request.routeOptions.config.streamed === true

/** Routes that `add` puts on its scope find the body unread in `request.raw`. */
export function withStreamedBodies(app: FastifyInstance, add: (scope: FastifyInstance) => void): void {
  void app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null))
    scope.addHook('onResponse', (request, _reply, next) => {
      linger(request)
      next()
    })
    add(scope)
    done()
  })
}

function linger({ raw }: FastifyRequest): void {
  if (raw.complete || raw.destroyed) return
  const timer = setTimeout(() => raw.destroy(), lingerTime)
  raw.once('close', () => clearTimeout(timer))
  raw.resume()
}

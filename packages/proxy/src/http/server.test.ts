import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createLog } from '../core/log.ts'
import { createServer } from './server.ts'

test('an answer that ends while the server closes does not keep the server from closing', async () => {
  const app = await createServer({ log: createLog('silent'), tls: undefined })
  const body = new PassThrough()
  app.get('/', (_request, reply) => reply.send(body))
  body.write('a')
  // The connection is kept for the next request of this client, which never comes.
  const answer = await fetch(await app.listen({ host: '127.0.0.1', port: 0 }))
  const closed = app.close()
  body.end('b')
  expect(await answer.text()).toBe('ab')
  await closed
})

import { once } from 'node:events'
import { connect } from 'node:net'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { expect, test } from 'vitest'
import { createServer } from './server.ts'

test('what is no HTTP, or has too many headers, is refused like everything else: with JSON', async () => {
  await using api = await openProxyApi()
  const app = await createServer({ log: api.context.log, tls: undefined })
  await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    const address = app.server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const answerTo = async (bytes: string): Promise<string> => {
      const connection = connect(port, '127.0.0.1')
      let text = ''
      connection.on('data', (chunk: Buffer) => (text += chunk.toString()))
      connection.write(bytes)
      await once(connection, 'close')
      return text
    }
    const refused = await answerTo('DELETE / HTTP/1.1\r\nhost: x\r\n\r\n{"no":"length"}\r\n\r\n')
    expect(refused).toContain('HTTP/1.1 400 Refused\r\nx-content-type-options: nosniff')
    expect(JSON.parse(refused.slice(refused.lastIndexOf('\r\n\r\n')))).toEqual({ error: { message: 'invalid request' } })
    expect(await answerTo(`GET / HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(70_000)}\r\n\r\n`)).toContain('HTTP/1.1 431 Refused')
  } finally {
    await app.close()
  }
})

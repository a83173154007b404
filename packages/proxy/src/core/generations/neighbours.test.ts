import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { connectionProblem } from '../errors.ts'
import { createNeighbours } from './neighbours.ts'
import type { NeighbourAnswers } from './neighbours.ts'

let directory: string
let opened: AsyncDisposableStack
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-gen-'))
  opened = new AsyncDisposableStack()
  opened.defer(() => rm(directory, { recursive: true, force: true }))
})
afterEach(() => opened.disposeAsync())

const seenFrom = (number: number, others: readonly number[]) =>
  createNeighbours({ directory, generation: { number, others: () => others } })
const run = async (number: number, own: Partial<NeighbourAnswers>) => {
  const answers: NeighbourAnswers = {
    keeps: () => false,
    countOf: () => 0,
    state: () => ({ started: 1, version: '1', sessions: 0 }),
    dial: () => undefined,
    serve: (socket) => socket.destroy(),
    ...own,
  }
  return opened.use(await seenFrom(number, []).listen(answers))
}
const never = new AbortController().signal

test('what lives somewhere is found there, counts are summed, and who is gone has nothing', async () => {
  await run(1, { keeps: (id) => id === 'mine', countOf: (user) => (user === 'ann' ? 2 : 0) })
  await run(2, { countOf: () => 1 })
  const seen = seenFrom(3, [1, 2, 9])
  expect((await seen.keeperOf('mine'))?.number).toBe(1)
  expect(await seen.keeperOf('nobody’s')).toBeUndefined()
  expect(await seen.countOf('ann')).toBe(3)
  expect(await Promise.all(seen.all().map((neighbour) => neighbour.state()))).toMatchObject([{ sessions: 0 }, { sessions: 0 }, undefined])
  await expect(seen.all()[2]?.serve({ ip: '127.0.0.1', port: 1 })).rejects.toThrow('the session has just ended')
})

test('only the owner of the process can open the socket, and what is no question ends the connection', async () => {
  await run(1, {})
  expect((await stat(join(directory, '1.sock'))).mode & 0o777).toBe(0o600)
  for (const line of ['{"ask":"everything"}\n', 'no json\n', 'x'.repeat(10_000)]) {
    const socket = connect(join(directory, '1.sock'))
    socket.on('error', () => undefined) // what was not read is answered with a reset
    socket.write(line)
    await once(socket, 'close')
  }
})

test('a host is dialled through whoever it is connected to, byte for byte; a refusal is told, and one that nobody has is none', async () => {
  await run(1, {
    dial: ({ hostId, clientAddress }) => {
      if (hostId === 'refused') return Promise.reject(connectionProblem('the agent does not answer'))
      if (hostId !== 'echo') return undefined
      const echo = new PassThrough()
      echo.write(`${clientAddress} `)
      return Promise.resolve(echo)
    },
  })
  const seen = seenFrom(2, [1])
  const stream = await seen.dial({ hostId: 'echo', clientAddress: '127.0.0.1:9' }, never)
  stream?.end('and back')
  expect(stream && (await text(stream))).toBe('127.0.0.1:9 and back')
  await expect(seen.dial({ hostId: 'refused' }, never)).rejects.toThrow('the agent does not answer')
  expect(await seen.dial({ hostId: 'unknown' }, never)).toBeUndefined()
})

test('HTTP of somebody else follows the line that says where they come from', async () => {
  const served = Promise.withResolvers<{ ip: string; port: number; said: string }>()
  await run(1, { serve: (socket, from) => void text(socket).then((said) => served.resolve({ ip: from.ip, port: from.port, said })) })
  const socket = await seenFrom(2, [1]).all()[0]?.serve({ ip: '192.0.2.7', port: 77 })
  socket?.end('GET / HTTP/1.1\r\n\r\n')
  expect(await served.promise).toEqual({ ip: '192.0.2.7', port: 77, said: 'GET / HTTP/1.1\r\n\r\n' })
})

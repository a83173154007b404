import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { says, stalls, startModel } from '@sallyport/testkit/targets/model.ts'
import { expect, test } from 'vitest'
import { historyFor } from './history.ts'
import { createModel } from './model.ts'
import { digestOf, OutputSample } from './outputs.ts'

const messages = [{ role: 'user', content: 'Hello' }] as const
const never = new AbortController().signal

test('a model that says nothing more is given up', async () => {
  await using service = await startModel()
  service.replies = [stalls('I')]
  const model = createModel({ address: service.address, model: 'm', patience: 100 })
  await expect(model.ask({ messages }, never)).rejects.toMatchObject({ name: 'ModelError', failure: 'stalled' })
  await service.asked[0]?.closed
})

test('its key is read anew for each question; without one none is sent', async () => {
  await using service = await startModel()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-model-'))
  await using _gone = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  const keyFile = join(folder, 'key')
  const model = createModel({ address: `${service.address}/`, model: 'm', keyFile })
  await expect(model.ask({ messages }, never)).rejects.toMatchObject({ failure: 'key' })
  for (const key of ['first', 'second']) {
    await writeFile(keyFile, `${key}\n`)
    service.replies = [says('Yes')]
    expect(await model.ask({ messages }, never)).toEqual({ text: 'Yes', calls: [] })
  }
  await createModel({ address: service.address, model: 'm' }).ask({ messages }, never)
  expect(service.asked.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second', undefined])
  expect(service.asked[0]?.path).toBe('/v1/chat/completions')
})

test('nobody there is an error of its own', async () => {
  await expect(createModel({ address: 'http://127.0.0.1:1', model: 'm' }).ask({ messages }, never)).rejects.toMatchObject({
    failure: 'unreachable',
  })
})

test('the model is told the newest of a long conversation, and no results', () => {
  const said = Array.from({ length: 30 }, (_, index) => ({
    type: 'CHAT_MESSAGE_USER' as const,
    payload: `${index} ${'x'.repeat(5000)}`,
    created: index,
  }))
  const told = historyFor([...said, { type: 'COMMAND_RESULT', payload: '{"session_id":"secret"}', created: 31 }])
  expect(told[0]?.role).toBe('system')
  expect(told.length).toBeLessThan(10)
  expect(told.at(-1)?.content).toMatch(/^29 /)
  expect(JSON.stringify(told)).not.toContain('secret')
})

test('a summary is made of the beginning and the end of what each server said, and of so many servers', () => {
  const sample = new OutputSample()
  sample.add('begin')
  for (let count = 0; count < 1000; count += 1) sample.add('middle ')
  sample.add('end')
  expect(sample.text).toMatch(/^begin[\s\S]*characters left out\][\s\S]*end$/)
  expect(sample.text.length).toBeLessThan(2100)
  const outputs = Array.from({ length: 40 }, (_, index) => ({ hostname: `web-${index}`, problem: '', exitCode: 0, text: sample.text }))
  const digest = digestOf(outputs)
  expect(digest.length).toBeLessThan(25_000)
  expect(digest).toContain('more servers left out')
})

import { activeSessionWire } from '@sallyport/wire/entities/session-tracker.ts'
import { expect, test } from 'vitest'
import { RunningSessions } from './running-sessions.ts'

const wire = (id: string, host: string) =>
  activeSessionWire.parse({ kind: 'ssh', id, created: '2026-11-21T10:00:00Z', cluster_name: 'home', server_hostname: host, login: 'root' })

test('one answer serves everybody who asks within a moment, and tells the places of its sessions', async () => {
  let time = 0
  const asked: string[] = []
  const running = new RunningSessions(
    async (clusterId) => {
      asked.push(clusterId)
      return [wire('s-1', 'web-1'), wire('s-2', '')]
    },
    () => time,
  )
  expect(running.placeOf('s-1')).toBeUndefined()
  expect(await Promise.all([running.has('home', 's-1'), running.has('home', 's-3')])).toEqual([true, false])
  expect(asked).toEqual(['home'])
  expect([running.placeOf('s-1'), running.placeOf('s-2'), running.placeOf('s-3')]).toEqual(['root@web-1', undefined, undefined])
  time = 501
  await running.has('home', 's-1')
  await running.has('leaf', 's-1')
  expect(asked).toEqual(['home', 'home', 'leaf'])
})

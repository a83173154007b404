import { expect, test } from 'vitest'
import type { FileClient } from '../../../api/file-client.ts'
import { TransferQueue, type TransferHost } from './transfer-queue.ts'
import { otherName, shareOfAll } from './transfer-item.ts'
import { durationText, sizeText } from './amounts.ts'

const place = { clusterId: 'c', serverId: 's', login: 'root', title: 'root@web' }

/** Uploads that end when they are told to. */
function world(changes: Partial<TransferHost> = {}) {
  const uploads: {
    approval: (string | undefined)[]
    name: string
    overwrite: string | undefined
    location: string
    signal: AbortSignal
    uploadId: string
    again: boolean | undefined
    keep: ((sent: number) => void) | undefined
    end: PromiseWithResolvers<void>
  }[] = []
  const files: FileClient = {
    download: (_place, { location }) => Promise.resolve({ name: location.slice(1), body: new Blob(['hello']) }),
    upload: (_place, { filename, location, overwrite, moderatedSessionId, fileTransferRequestId, uploadId }, _file, { signal }, more) => {
      const end = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => end.reject(signal.reason))
      const approval = [moderatedSessionId, fileTransferRequestId]
      uploads.push({ approval, name: filename, overwrite, location, signal, uploadId, again: more?.again, keep: more?.keep, end })
      return end.promise
    },
  }
  const saved: string[] = []
  const queue = new TransferQueue({
    files,
    prove: () => Promise.resolve(undefined),
    ask: () => Promise.reject(new Error('nobody moderates')),
    save: (name) => saved.push(name),
    isTaken: (error) => error === 'taken',
    explain: String,
    now: () => 0,
    ...changes,
  })
  const states = () => queue.store.get().items.map(({ name, state }) => `${name} ${state}`)
  return { queue, uploads, saved, states }
}
const chosen = (...names: string[]) => names.map((name) => ({ file: new File(['x'], name), folder: '' }))
const idOf = (queue: TransferQueue, name: string): number => queue.store.get().items.find((item) => item.name === name)?.id ?? -1

test('three files at once; the next begins when one ends, however it ends', async () => {
  const { queue, uploads, states } = world()
  queue.aim('~')
  queue.upload(place, chosen('a', 'b', 'c', 'd', 'e', 'f'))
  await expect.poll(() => uploads.length).toBe(3)
  expect(uploads[0]?.location).toBe('~/')
  uploads[0]?.end.resolve()
  await expect.poll(() => uploads.length).toBe(4)
  uploads[1]?.end.reject('no room')
  await expect.poll(() => uploads.length).toBe(5)
  queue.cancel(idOf(queue, 'c'))
  await expect.poll(() => uploads.length).toBe(6)
  expect(uploads[2]?.signal.aborted).toBe(true)
  expect(states()).toEqual(['a done', 'b failed', 'c cancelled', 'd running', 'e running', 'f running'])
  queue.clear()
  expect(states()).toEqual(['d running', 'e running', 'f running'])
})

test('a name that is taken waits for the viewer: another name, or the same over it', async () => {
  const { queue, uploads, states } = world()
  queue.upload(place, chosen('a.txt'))
  await expect.poll(() => uploads.length).toBe(1)
  uploads[0]?.end.reject('taken')
  await expect.poll(() => states()).toEqual(['a.txt conflict'])
  queue.settle(idOf(queue, 'a.txt'), 'keep-both')
  await expect.poll(() => uploads.length).toBe(2)
  expect(uploads[1]).toMatchObject({ name: 'a (1).txt', overwrite: 'false' })
  uploads[1]?.end.reject('taken')
  await expect.poll(() => states()).toEqual(['a (1).txt conflict'])
  queue.settle(idOf(queue, 'a (1).txt'), 'overwrite')
  await expect.poll(() => uploads[2]).toMatchObject({ name: 'a (1).txt', overwrite: 'true' })
})

test('an upload that broke off goes on under its name; one that was stopped begins anew', async () => {
  const { queue, uploads, states } = world()
  queue.upload(place, chosen('a'))
  await expect.poll(() => uploads.length).toBe(1)
  expect(uploads[0]?.again).toBe(false)
  uploads[0]?.keep?.(1)
  uploads[0]?.end.reject('broken')
  await expect.poll(() => queue.store.get().items[0]).toMatchObject({ state: 'failed', kept: 1 })
  queue.retry(idOf(queue, 'a'))
  await expect.poll(() => uploads[1]).toMatchObject({ again: true, uploadId: uploads[0]?.uploadId })
  queue.cancel(idOf(queue, 'a'))
  expect(states()).toEqual(['a cancelled'])
  queue.retry(idOf(queue, 'a'))
  await expect.poll(() => uploads[2]?.again).toBe(false)
  expect(uploads[2]?.uploadId).not.toBe(uploads[0]?.uploadId)
})

test('the key is asked for one file after the other, and what its owner stops is cancelled', async () => {
  const asked: PromiseWithResolvers<string>[] = []
  const { queue, uploads, states } = world({
    prove: () => {
      const proof = Promise.withResolvers<string>()
      asked.push(proof)
      return proof.promise
    },
    explain: () => undefined,
  })
  queue.upload(place, chosen('a', 'b'))
  await expect.poll(() => asked.length).toBe(1)
  expect(states()).toEqual(['a proving', 'b proving'])
  asked[0]?.reject(new Error('stopped'))
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.resolve('proof')
  await expect.poll(() => uploads.length).toBe(1)
  expect(states()).toEqual(['a cancelled', 'b running'])
})

test('what is dropped waits for a destination, unless one is shown', async () => {
  const { queue, uploads } = world()
  queue.drop(place, chosen('a'))
  expect(queue.store.get()).toMatchObject({ view: 'upload', offered: [{ folder: '' }], items: [] })
  queue.aim('/srv')
  queue.upload(place, queue.store.get().offered)
  queue.drop(place, [{ file: new File(['x'], 'b'), folder: 'photos/' }])
  await expect.poll(() => uploads.map(({ location, name }) => location + name)).toEqual(['/srv/a', '/srv/photos/b'])
  expect(queue.store.get().offered).toEqual([])
})

test('in a moderated session each file is asked for, one after the other, and goes with its approval', async () => {
  const asked: { location: string; filename: string; end: PromiseWithResolvers<string> }[] = []
  const { queue, uploads, states } = world({
    ask: (_sid, { location, filename }) => {
      const end = Promise.withResolvers<string>()
      asked.push({ location, filename, end })
      return end.promise
    },
  })
  queue.upload({ ...place, moderatedSid: 'sid' }, chosen('a', 'b'))
  await expect.poll(() => states()).toEqual(['a asking', 'b proving'])
  asked[0]?.end.resolve('request-1')
  await expect.poll(() => uploads.length).toBe(1)
  // The next request would void an approval that is not used yet.
  expect(asked.length).toBe(1)
  uploads[0]?.end.resolve()
  await expect.poll(() => asked[1]).toMatchObject({ location: '~/', filename: 'b' })
  asked[1]?.end.reject(new Error('The moderators did not allow it.'))
  await expect.poll(() => states()).toEqual(['a done', 'b failed'])
  expect(uploads[0]?.approval).toEqual(['sid', 'request-1'])
})

test('a download is saved under the name that the server gives', async () => {
  const { queue, saved, states } = world()
  queue.download(place, '/etc-hosts')
  await expect.poll(() => states()).toEqual(['etc-hosts done'])
  expect(saved).toEqual(['etc-hosts'])
  expect(shareOfAll(queue.store.get().items)).toBe(1)
})

test('names and amounts in words', () => {
  expect(['a.txt', 'a (9).txt', '.hidden', 'none', 'a.tar.gz'].map(otherName)).toEqual([
    'a (1).txt',
    'a (10).txt',
    '.hidden (1)',
    'none (1)',
    'a.tar (1).gz',
  ])
  expect([0, 999, 1000, 1_234_567, 123_456_789, 5e12].map(sizeText)).toEqual(['0 B', '999 B', '1.0 kB', '1.2 MB', '123 MB', '5.0 TB'])
  expect([0.2, 59, 90, 7000].map(durationText)).toEqual(['1 s', '59 s', '2 min', '2 h'])
})

test('a download that breaks off goes on from what came of it; one that is cancelled does not', async () => {
  const asked: (number | undefined)[] = []
  const files: FileClient = {
    upload: () => Promise.resolve(),
    download: (_place, _query, _run, { part, keep } = {}) => {
      asked.push(part?.body.size)
      if (asked.length > 2) return Promise.resolve({ name: 'a', body: new Blob(['hello']) })
      keep?.({ tag: '"1"', body: new Blob(['hel']) })
      return Promise.reject(new Error('broken'))
    },
  }
  const { queue, saved, states } = world({ files })
  const kept = () => queue.store.get().items.map((item) => item.kept)
  queue.download(place, '/a')
  await expect.poll(() => states()).toEqual(['/a failed'])
  expect(kept()).toEqual([3])
  queue.retry(1)
  await expect.poll(() => asked).toEqual([undefined, 3])
  await expect.poll(() => states()).toEqual(['/a failed'])
  queue.cancel(1)
  expect(kept()).toEqual([0])
  queue.retry(1)
  await expect.poll(() => states()).toEqual(['a done'])
  expect(asked).toEqual([undefined, 3, undefined])
  expect(saved).toEqual(['a'])
})

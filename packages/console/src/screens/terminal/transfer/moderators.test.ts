import { fileTransferEvents, type FileTransferEvent } from '@sallyport/wire/sockets/terminal.ts'
import { expect, test } from 'vitest'
import { askModerators } from './moderators.ts'

const wish = { download: true, location: '/etc/hosts', filename: '' }

function session() {
  const transferEvents = new Set<(event: FileTransferEvent) => void>()
  const decided: [string, boolean][] = []
  const tell = (event: FileTransferEvent['event'], requestID: string, change: Partial<FileTransferEvent> = {}) => {
    for (const listener of transferEvents) listener({ ...wish, event, requestID, requester: 'bob', approvers: [], ...change })
  }
  return {
    transferEvents,
    decided,
    tell,
    requestTransfer: () => undefined,
    decideTransfer: (id: string, approved: boolean) => void decided.push([id, approved]),
  }
}
const { request, approve, deny } = fileTransferEvents

test('an approval counts for the request that it names; a denial and a request in its place end it', async () => {
  const one = session()
  const asked = askModerators(one, wish, new AbortController().signal)
  one.tell(approve, 'older')
  one.tell(request, 'ours')
  one.tell(deny, 'older')
  one.tell(approve, 'ours')
  expect(await asked).toBe('ours')
  expect(one.transferEvents.size).toBe(0)

  const denied = askModerators(one, wish, new AbortController().signal)
  one.tell(request, 'second')
  one.tell(deny, 'second')
  await expect(denied).rejects.toThrow('The moderators did not allow it.')

  const replaced = askModerators(one, wish, new AbortController().signal)
  one.tell(request, 'third')
  one.tell(request, 'of-another', { location: '/other' })
  await expect(replaced).rejects.toThrow('Another request took the place')
})

test('a request whose file is cancelled is taken back', async () => {
  const one = session()
  const stopped = new AbortController()
  const asked = askModerators(one, wish, stopped.signal)
  one.tell(request, 'ours')
  stopped.abort(new Error('cancelled'))
  await expect(asked).rejects.toThrow('cancelled')
  expect(one.decided).toEqual([['ours', false]])
})

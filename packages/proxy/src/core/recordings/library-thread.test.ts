import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLibraryThread } from './library-thread.ts'

test('a thread that is ended within its work tells whoever asked', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'sallyport-library-'))
  const index = { kind: 'sqlite' as const, file: join(folder.path, 'search.db') }
  const thread = createLibraryThread({ directory: folder.path, key: new Uint8Array(32), index })
  await expect(thread.ask({ do: 'missing', sids: ['a'] })).resolves.toEqual(['a'])
  const worked = expect(thread.ask({ do: 'work', sid: 'b' })).rejects.toThrow()
  await thread[Symbol.asyncDispose]()
  await worked
})

import { expect, test } from 'vitest'
import { fileNameOf, ownFirst, sizeWords, verifyCommand } from './download-words.ts'

const item = { name: 'agent', url: 'https://proxy.example.com/v1/webapi/downloads/agent.tar.gz?x=1', os: 'linux', sha256: 'ab12' }

test('a file is known by the last part of its address, and checked as its system does', () => {
  expect(fileNameOf(item)).toBe('agent.tar.gz')
  expect(fileNameOf({ name: 'agent', url: 'https://proxy/' })).toBe('agent')
  expect(verifyCommand(item)).toBe('echo "ab12  agent.tar.gz" | sha256sum -c')
  expect(verifyCommand({ ...item, os: 'darwin' })).toBe('echo "ab12  agent.tar.gz" | shasum -a 256 -c')
  expect(verifyCommand({ ...item, os: 'windows' })).toBe('(Get-FileHash agent.tar.gz).Hash -eq "ab12"')
})

test('what is for the viewer’s own system comes first, all else in its order', () => {
  const items = ['linux', 'windows', 'darwin', 'linux'].map((os, index) => ({ os, index }))
  const order = (agent: string) => ownFirst(items, agent).map(({ index }) => index)
  expect(order('Mozilla/5.0 (X11; Linux x86_64)')).toEqual([0, 3, 1, 2])
  expect(order('Mozilla/5.0 (Windows NT 10.0)')).toEqual([1, 0, 2, 3])
  expect(order('Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0)')).toEqual([2, 0, 1, 3])
  expect([sizeWords(900), sizeWords(52_400_000)]).toEqual(['1 kB', '52.4 MB'])
})

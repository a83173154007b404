import { expect, test } from 'vitest'
import { ChunkError, lazyScreen, toChunkError } from './lazy-screen.tsx'

test.each([
  ['Unable to preload CSS for /web/app/Servers-1a2b.css', '/web/app/Servers-1a2b.css'],
  ['Failed to fetch dynamically imported module: https://proxy.example/web/app/Servers-1a2b.js', '/web/app/Servers-1a2b.js'],
  ['error loading dynamically imported module: https://proxy.example:3080/web/app/x.js', '/web/app/x.js'],
  ['Importing a module script failed.', 'this page'],
])('a chunk that cannot be loaded is named: %s', (message, path) => {
  expect(toChunkError(new TypeError(message)).message).toBe(`Unable to preload CSS for ${path}`)
})

test('a chunk is loaded once, and again only after a failure', async () => {
  let tries = 0
  const screen = lazyScreen(() => {
    tries += 1
    return tries === 1 ? Promise.reject(new Error('gone: /web/app/a.js')) : Promise.resolve(() => null)
  })
  await expect(screen.preload()).rejects.toBeInstanceOf(ChunkError)
  await screen.preload()
  await screen.preload()
  expect(tries).toBe(2)
})

import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ApiError } from '@sallyport/wire/errors.ts'
import { ChunkError } from '../../parts/lazy-screen.tsx'
import { ScreenError } from './ScreenError.tsx'

const shown = (error: unknown): string => renderToStaticMarkup(createElement(ScreenError, { error, retry: () => undefined, inPage: true }))

test('R2-103, R2-104: what a screen threw is shown as it is, with a way to try again', () => {
  const html = shown(new Error('cannot read <rows>'))
  expect(html).toContain('>Internal Error</h1>')
  expect(html).toContain('cannot read &lt;rows&gt;')
  expect(html).toContain('>Retry</button>')
})

test('a refusal of the proxy is Access Denied, with its words', () => {
  const html = shown(new ApiError('access denied to list users', { status: 403, url: '' }))
  expect(html).toContain('>Access Denied</h1>')
  expect(html).toContain('access denied to list users')
})

test('a chunk that is gone is named and offers a reload', () => {
  const html = shown(new ChunkError('/web/app/Servers-1a2b.js'))
  expect(html).toContain('Unable to preload CSS for /web/app/Servers-1a2b.js')
  expect(html).toContain('>Reload</button>')
})

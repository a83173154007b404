import { ChannelReader, encodeChannelMessage } from '@sallyport/protocols/rdp/channels.ts'
import { encodeFormats, encodeText, encodeTextRequest, parseClipboard } from '@sallyport/protocols/rdp/clipboard.ts'
import { u16, u32 } from '@sallyport/protocols/rdp/bytes.ts'
import { clipboardLimit } from '@sallyport/wire/limits.ts'
import { expect, test } from 'vitest'
import { Clipboard } from './clipboard.ts'

/** A desktop's end: what the proxy said, and how to say something to it. */
function desktopOf() {
  const reader = new ChannelReader(clipboardLimit * 2 + 64)
  const texts: string[] = []
  const said: ReturnType<typeof parseClipboard>[] = []
  const clipboard = new Clipboard({
    send(chunk) {
      const whole = reader.push(chunk)
      if (whole) said.push(parseClipboard(whole))
    },
    onText: (text) => void texts.push(text),
  })
  const say = (message: Buffer): void => {
    for (const chunk of encodeChannelMessage(message)) clipboard.take(chunk)
  }
  return { clipboard, say, said, texts }
}

test('a megabyte of emoji and lines goes over the clipboard both ways, unchanged', () => {
  const long = '🦜 käse\n'.repeat(clipboardLimit / 8)
  const { clipboard, say, said, texts } = desktopOf()
  clipboard.offer('🦜\nü')
  say(Buffer.concat([u16(1, 0), u32(0)]))
  expect(said.splice(0)).toEqual([{ kind: 'other' }, { kind: 'formats', hasText: true }])
  say(encodeTextRequest())
  expect(said.splice(0)).toEqual([{ kind: 'text', text: '🦜\nü' }])
  clipboard.offer(long.slice(0, clipboardLimit / 2))
  say(encodeTextRequest())
  expect(said.at(-1)).toEqual({ kind: 'text', text: long.slice(0, clipboardLimit / 2) })
  say(encodeFormats(true))
  expect(said.at(-1)).toEqual({ kind: 'request', isText: true })
  say(encodeText(long.slice(0, clipboardLimit / 2)))
  expect(texts).toEqual([long.slice(0, clipboardLimit / 2)])
  // What is longer than may be kept is passed over, and what follows it is not.
  say(encodeText(long.repeat(2)))
  say(encodeText('short'))
  expect(texts.slice(1)).toEqual(['short'])
})

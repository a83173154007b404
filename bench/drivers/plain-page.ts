/**
 * A page in Chromium that nobody listens to. A driver of tests has the browser report every frame of a socket to it, which
 * costs more than showing what is in the frame.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import * as z from 'zod'
import { requireProgram } from '@sallyport/testkit/targets/programs.ts'

const args = [
  '--headless=new',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--window-size=1440,900',
  '--remote-debugging-port=0',
]
const answerForm = z.looseObject({
  id: z.number(),
  error: z.optional(z.looseObject({ message: z.string() })),
  result: z.optional(z.unknown()),
})
const targetsForm = z.array(z.looseObject({ type: z.string(), webSocketDebuggerUrl: z.string() }))
const evaluatedForm = z.looseObject({
  result: z.looseObject({ value: z.optional(z.unknown()) }),
  exceptionDetails: z.optional(z.looseObject({ text: z.string() })),
})

export interface PlainPage extends AsyncDisposable {
  /** Runs an expression in the page; what it promises is waited for. */
  evaluate(expression: string): Promise<unknown>
  open(url: string, cookies: readonly { name: string; value: string }[]): Promise<void>
  type(text: string): Promise<void>
  /** The character that a key types together with Ctrl. */
  control(letter: string): Promise<void>
}

export async function openPlainPage(): Promise<PlainPage> {
  const profile = await mkdtemp(join(tmpdir(), 'sallyport-bench-browser-'))
  const browser = spawn(requireProgram('chromium'), [...args, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(browser, 'exit')
  const port = await new Promise<string>((resolve, reject) => {
    let said = ''
    browser.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const [, found] = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    void exited.then(() => reject(new Error(`Chromium did not start: ${said}`)))
  })
  const targets = targetsForm.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json())
  const socket = new WebSocket(targets.find(({ type }) => type === 'page')?.webSocketDebuggerUrl ?? '')
  await once(socket, 'open')
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  socket.on('message', (data: Buffer) => {
    const answer = answerForm.safeParse(JSON.parse(data.toString())).data
    const asked = answer && waiting.get(answer.id)
    if (!answer || !asked) return
    waiting.delete(answer.id)
    if (answer.error) asked.reject(new Error(answer.error.message))
    else asked.resolve(answer.result)
  })
  let lastId = 0
  const send = (method: string, params: object = {}): Promise<unknown> => {
    const id = ++lastId
    socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
  }
  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = evaluatedForm.parse(await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }))
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text)
    return answer.result.value
  }
  const key = async (params: object): Promise<void> => {
    await send('Input.dispatchKeyEvent', { type: 'keyDown', ...params })
    await send('Input.dispatchKeyEvent', { type: 'keyUp', ...params })
  }
  return {
    evaluate,
    async open(url, cookies) {
      for (const { name, value } of cookies)
        await send('Network.setCookie', { name, value, url: url.replace(/^http:/, 'https:'), secure: true })
      await send('Page.navigate', { url })
    },
    async type(text) {
      for (const letter of text)
        await key(letter === '\n' ? { key: 'Enter', windowsVirtualKeyCode: 13, text: '\r' } : { key: letter, text: letter })
    },
    control: (letter) => key({ key: letter, windowsVirtualKeyCode: letter.toUpperCase().charCodeAt(0), modifiers: 2 }),
    async [Symbol.asyncDispose]() {
      socket.close()
      browser.kill()
      await exited
      await rm(profile, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

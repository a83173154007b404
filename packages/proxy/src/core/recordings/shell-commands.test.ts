import { expect, test } from 'vitest'
import { RecordedScreen } from './recorded-screen.ts'

async function commandsOf(...prints: (readonly [at: number, output: string])[]) {
  const screen = new RecordedScreen({ columns: 20, rows: 5 })
  for (const [at, output] of prints) {
    screen.now = at
    await screen.write(Buffer.from(output))
  }
  screen.dispose()
  return screen.commands
}
const prompt = '\x1b]133;A\x07$ \x1b]133;B\x07'
const run = '\x1b]133;C\x07'

test('what stands between the prompt and the output is the command, however it was edited, with how it ended', async () => {
  expect(
    await commandsOf(
      [0, prompt],
      [900, 'lx\b\x1b[Ks -l'],
      [1000, `\r\n${run}total 0\r\n\x1b]133;D;0\x07${prompt}`],
      [2000, `a long one that goes on below\r\n${run}no such file\r\n\x1b]133;D;127\x1b\\${prompt}`],
      [3000, `\r\n${run}\x1b]133;D\x07${prompt}`],
      [4000, `for i in 1\r\n> do true; done\r\n${run}`],
    ),
  ).toEqual([
    { at: 1000, text: 'ls -l', exit: 0 },
    { at: 2000, text: 'a long one that goes on below', exit: 127 },
    { at: 4000, text: 'for i in 1 > do true; done' },
  ])
})

test('a prompt that has scrolled up is still known; a cleared screen has no command', async () => {
  const [scrolled] = await commandsOf([0, `\n\n\n\n\n${prompt}echo ${'x'.repeat(90)}\r\n${run}`])
  expect(scrolled?.text).toBe(`echo ${'x'.repeat(90)}`)
  expect(await commandsOf([0, `${prompt}ls\x1b[2J\x1b[3J\x1b[H${run}`])).toEqual([])
})

test('a shell that tells the command itself is believed over its screen', async () => {
  expect(await commandsOf([5, `${prompt}…\r\n\x1b]633;E;echo a\\x3b b \\\\ c;nonce\x07\x1b]633;C\x07\x1b]633;D;1\x07`])).toEqual([
    { at: 5, text: 'echo a; b \\ c', exit: 1 },
  ])
  expect(await commandsOf([5, `${prompt}…\r\n\x1b]133;C;cmdline_url=git%20log%0A\x07`])).toMatchObject([{ text: 'git log' }])
})

test('sequences without order, end or sense tell nothing and break nothing', async () => {
  expect(await commandsOf([0, `${run}\x1b]133;D;999999\x07\x1b]133\x07\x1b]133;Z;x\x07\x1b]133;C;cmdline_url=%E0%A4%A\x07`])).toEqual([])
  const many = await commandsOf([0, `${prompt}x\r\n${run}`.repeat(3000)])
  expect(many).toHaveLength(2000)
  const [long] = await commandsOf([0, `\x1b]633;E;${'x'.repeat(9000)}\x07\x1b]633;C\x07`])
  expect(long?.text).toHaveLength(500)
})

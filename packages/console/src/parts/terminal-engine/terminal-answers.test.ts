import xterm from '@xterm/headless'
import { expect, test } from 'vitest'
import { isOwnReport, watchAnswers } from './terminal-answers.ts'

/** The emulator without a screen: its parser and its answers are the same. */
function emulator(now: () => number = () => 0) {
  const terminal = new xterm.Terminal({ allowProposedApi: true, cols: 80, rows: 25 })
  const watch = watchAnswers(terminal.parser, now)
  const said: { text: string; answers: boolean; passes: boolean }[] = []
  terminal.onData((text) => {
    const answers = watch.isAnswering()
    said.push({ text, answers, passes: answers && watch.mayAnswer(text) })
  })
  return { terminal, said, print: (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve)) }
}

test('answers to questions are told from keys, and only reports of known form pass', async () => {
  const { terminal, said, print } = emulator()
  await print('\u001b[c\u001b[>c\u001b[5n\u001b[6n\u001b[?6n\u001b[?2026$p\u001b[4$p\u001bP$qm\u001b\\\u001bP$q"p\u001b\\')
  expect(said.length).toBeGreaterThan(6)
  expect(said.every(({ answers, passes }) => answers && passes)).toBe(true)
  terminal.input('ls\r')
  expect(said.at(-1)).toEqual({ text: 'ls\r', answers: false, passes: false })
})

test('no question gets the words of the asker back', async () => {
  const { said, print } = emulator()
  const command = 'touch /tmp/owned\r'
  for (const asks of [
    `\u001bP$q${command}\u001b\\`,
    `\u001bP+q${command}\u001b\\`,
    `\u001b]0;${command}\u0007\u001b[21t\u001b[20t`,
    `\u001b]2;${command}\u001b\\\u001b[21t`,
    `\u001b]50;${command}\u0007\u001b]50;?\u0007`,
    `\u001b]52;c;dG91Y2gK\u0007\u001b]52;c;?\u0007`,
    `\u001b]4;1;${command}\u0007\u001b]4;1;?\u0007`,
    `\u001b]10;${command}\u0007\u001b]11;?\u0007`,
    '\u0005',
    '\u001bZ',
  ])
    await print(asks)
  const typed = said.filter(({ answers, passes }) => !answers || passes).map(({ text }) => text)
  expect(typed.join('')).not.toMatch(/touch|[\r\n\u0003\u0004]/)
})

test('an answer with words, line ends or no known form is refused', () => {
  const { mayAnswer } = watchAnswers(new xterm.Terminal({ allowProposedApi: true }).parser, () => 0)
  for (const bad of [
    'rm -rf /',
    '\u001b[1;1R\r',
    '\r',
    '\u001b]l;ls\rx\u001b\\',
    `\u001b[${'1;'.repeat(90)}R`,
    '\u001b[5n\nls',
    '\u001bP1$rm\u0003\u001b\\',
  ])
    expect(mayAnswer(bad), JSON.stringify(bad)).toBe(false)
  expect(mayAnswer('\u001b[25;80R')).toBe(true)
  expect(mayAnswer('\u001b]11;rgb:1212/1111/1414\u001b\\')).toBe(true)
})

test('a flood of questions is answered a few times, and again later', async () => {
  let time = 0
  const { said, print } = emulator(() => time)
  await print('\u001b[6n'.repeat(5000))
  expect(said).toHaveLength(5000)
  expect(said.filter(({ passes }) => passes)).toHaveLength(64)
  time = 1001
  await print('\u001b[6n')
  expect(said.at(-1)?.passes).toBe(true)
})

test('reports of pointer and focus are of one screen alone; keys are not', () => {
  for (const own of ['\u001b[I', '\u001b[O', '\u001b[<0;10;5M', '\u001b[<0;10;5m', '\u001b[M !!']) expect(isOwnReport(own)).toBe(true)
  for (const key of ['a', '\r', '\u001b[A', '\u001bOP', '\u001b[Z', '\u001b[15~', '\u001b[200~x\u001b[201~'])
    expect(isOwnReport(key)).toBe(false)
})

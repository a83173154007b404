import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failingScript, quoteShell, shellScript } from './shell-script.ts'

const run = promisify(execFile)
const bash = (script: string) => run('bash', ['-c', script], { maxBuffer: 64 * 1024 * 1024, encoding: 'buffer' })

/** What each of the values is for a shell that has read the script. */
async function readBack(values: readonly string[]): Promise<string[]> {
  const named = Object.fromEntries(values.map((value, index) => [`v${index}`, value]))
  const { stdout } = await bash(shellScript(named, values.map((_value, index) => `printf '%s\\0' "$v${index}"\n`).join('')))
  return stdout.toString('utf8').split('\0').slice(0, -1)
}

test('values that would run something are only values', async () => {
  const hostile = [
    "'; touch /tmp/owned; '",
    '$(touch /tmp/owned)',
    '`id`',
    '"; id; "',
    'a\nid\n',
    'a\r\nid',
    String.raw`\'; id; \'`,
    '-n',
    '',
    '!!',
    '~',
    '*',
    'ü\u2028\u202e',
  ]
  expect(await readBack(hostile)).toEqual(hostile)
})
test('any text comes out of the shell as it went in', async () => {
  // Written by hand here: the alphabet that means something to a shell, and everything else now and then.
  const piece = fc.oneof(
    fc.constantFrom("'", '"', '\\', '$', '`', '\n', '!', ';', '&', ' ', '(', ')', '#', '\t'),
    fc.string({ unit: 'grapheme' }),
  )
  const value = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('').replaceAll('\0', '').toWellFormed())
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 40 }), async (values) => {
      expect(await readBack(values)).toEqual(values)
    }),
    { numRuns: 25 },
  )
})
test('a zero byte is refused', () => {
  expect(() => quoteShell('a\0b')).toThrow('zero byte')
})
test('a failing script says why on its error output, and fails', async () => {
  await expect(bash(failingScript("it's $(id) over"))).rejects.toMatchObject({ code: 1, stderr: Buffer.from("it's $(id) over\n") })
})

import { spawnSync } from 'node:child_process'
import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { planLaunch } from './launch.ts'
import type { Launch } from './launch.ts'
import { openTerminal } from './terminal.ts'
import type { Terminal } from './terminal.ts'

const { username: name, uid, gid, homedir: home } = userInfo()
const plan = (command: string): Launch => planLaunch({ account: { name, uid, gid, home, shell: '/bin/sh' }, command, terminal: true })
const size = { columns: 80, rows: 24 }

function collect(terminal: Terminal): () => Buffer {
  const pieces: Buffer[] = []
  terminal.stream.on('data', (bytes: Buffer) => pieces.push(bytes))
  return () => Buffer.concat(pieces)
}

test('output is bytes, and all of it has come when the exit is told', async () => {
  const terminal = openTerminal(plan('printf "\\377\\000\\303"; exit 4'), 'xterm', size)
  const output = collect(terminal)
  expect(await terminal.exited).toEqual({ code: 4, signal: undefined })
  expect(output()).toEqual(Buffer.from([0xff, 0, 0xc3]))
})

test('a reader that pauses past the end of the process loses nothing', async () => {
  const terminal = openTerminal(plan('stty -opost; head -c 3000 /dev/zero; kill -TERM $$'), 'xterm', size)
  const output = collect(terminal)
  terminal.stream.pause()
  expect(await terminal.exited).toEqual({ code: 0, signal: 'SIGTERM' })
  expect(output().length).toBe(3000)
})

test('a size out of range becomes one that a terminal can have', async () => {
  const terminal = openTerminal(plan('stty size; read line; stty size'), 'xterm', { columns: 0, rows: Number.NaN })
  const output = collect(terminal)
  await new Promise((resolve) => terminal.stream.once('data', resolve))
  terminal.resize({ columns: 1e9, rows: 50.7 })
  terminal.stream.write('\n')
  await terminal.exited
  expect(output().toString().trim().split(/\s+/u)).toEqual(['24', '80', '50', '4095'])
  terminal.resize(size)
})

test('closing it hangs up what runs on it', async () => {
  const terminal = openTerminal(plan('echo ready; exec sleep 1000'), 'xterm', size)
  await new Promise((resolve) => terminal.stream.once('data', resolve))
  expect(spawnSync('kill', ['-0', String(terminal.pid)]).status).toBe(0)
  terminal.close()
  expect(await terminal.exited).toMatchObject({ signal: 'SIGHUP' })
})

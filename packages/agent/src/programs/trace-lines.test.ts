import type { ProgramEventWire } from '@sallyport/wire/program-watch.ts'
import { expect, test } from 'vitest'
import { TraceLines } from './trace-lines.ts'
import { fileScript, pieceLength, programScript } from './trace-script.ts'

const hex = (text: string, length = Buffer.byteLength(text)): string => {
  const bytes = Buffer.alloc(length)
  bytes.write(text)
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
}

function read(...lines: string[]) {
  const events: [string, ProgramEventWire][] = []
  const others: unknown[] = []
  const reader = new TraceLines({
    event: (group, event) => void events.push([group, event]),
    made: (group) => void others.push(['made', group]),
    leftOut: (group, total) => void others.push(['left out', group, total]),
    overrun: (count) => void others.push(['overrun', count]),
  })
  for (const line of lines) reader.take(line)
  return { events, others }
}

test('a command is put together of its pieces, those of others in between', () => {
  const argv = 'ls\0-l\0grüße \n x\0\0'
  const { events } = read(
    `E 7 100 99 ${Buffer.byteLength(argv)} ${hex('ls', 16)}`,
    `E 8 200 99 5 ${hex('true', 16)}`,
    `P 100 ${hex('/bin/ls\0garbage', pieceLength)}`,
    `P 100 ${hex('more garbage', pieceLength)}`,
    `A 100 ${hex(argv)}`,
    'X 100',
    'X 200',
  )
  expect(events).toEqual([
    [
      '7',
      { kind: 'command', pid: 100, cgroup_id: 7, program: 'ls', path: '/bin/ls', argv: ['-l', 'grüße \n x', ''], return_code: 0, ppid: 99 },
    ],
    ['8', { kind: 'command', pid: 200, cgroup_id: 8, program: 'true', path: '', argv: [], return_code: 0, ppid: 99, truncated: true }],
  ])
})

test('long paths: pieces of memory without an end, pieces of a string with one', () => {
  const long = 'p'.repeat(pieceLength)
  const { events } = read(`E 7 1 0 2 ${hex('a', 16)}`, `P 1 ${hex(long)}`, `P 1 ${hex('end', pieceLength)}`, `A 1 ${hex('a\0')}`, 'X 1')
  expect(events[0]?.[1]).toMatchObject({ path: `${long}end` })
  const part = 'q'.repeat(pieceLength - 1)
  const opened = read(`B 7 1 577 ${hex('cat', 16)}`, `P 1 ${hex(part, pieceLength)}`, `P 1 ${hex('rest', pieceLength)}`, 'O 1 5 9').events
  expect(opened).toEqual([['7', { kind: 'disk', pid: 9, cgroup_id: 7, program: 'cat', path: `${part}rest`, flags: 577, return_code: 0 }]])
})

test('connections, refused files, fences and what was left out', () => {
  const { events, others } = read(
    `N 7 12 ::ffff:10.0.0.1 ::ffff:10.0.0.2 443 ${hex('curl', 16)}`,
    `B 7 3 0 ${hex('cat', 16)}`,
    `P 3 ${hex('/etc/shadow', pieceLength)}`,
    'O 3 -13 3',
    'F 55',
    '@lost[7]: 12',
    'Lost 3 events',
  )
  expect(events.map(([, event]) => event)).toEqual([
    { kind: 'network', pid: 12, cgroup_id: 7, program: 'curl', src_addr: '10.0.0.1', dst_addr: '10.0.0.2', dst_port: 443 },
    { kind: 'disk', pid: 3, cgroup_id: 7, program: 'cat', path: '/etc/shadow', flags: 0, return_code: -13 },
  ])
  expect(others).toEqual([
    ['made', '55'],
    ['left out', '7', 12],
    ['overrun', 3],
  ])
})

test('pieces of what nobody saw begin, and lines that are none, come to nothing', () => {
  expect(read('X 1', 'O 1 3 1', 'P 1 41', 'A 1 41', '', 'nonsense')).toEqual({ events: [], others: [] })
})

test('the script leaves out what the kernel cannot tell', () => {
  expect(programScript([1n], { network: false })).not.toContain('inet_sock_set_state')
  expect(fileScript([1n], ['openat'])).not.toContain('sys_enter_creat')
})

/** P9: from the command to the login page, at a second start, against a web server of Node that does nothing. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@sallyport/testkit/targets/free-port.ts'
import manifest from '../package.json' with { type: 'json' }
import { note, report } from './report.ts'
import { median } from './statistics.ts'

const runs = 7
const aim = 1200
const patience = 60_000
const root = join(import.meta.dirname, '..')

interface Program {
  command: string
  args: readonly string[]
  cwd: string
  path: string
}

/** Milliseconds until the program answers 200. It is ended afterwards, with all that it started. */
async function timeToAnswer({ command, args, cwd, path }: Program, port: number): Promise<number> {
  const started = performance.now()
  const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()))
  const ended = once(child, 'exit')
  try {
    while ((await statusOf(port, path)) !== 200) {
      if (child.exitCode !== null || performance.now() - started > patience)
        throw new Error(`${command} ${args.join(' ')} does not answer on port ${port}: ${complaints}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    return performance.now() - started
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
}

/** 0 while nobody listens. */
const statusOf = (port: number, path: string): Promise<number> =>
  new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume()
      response.on('close', () => resolve(response.statusCode ?? 0))
    })
    request.on('error', () => resolve(0))
  })

const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
try {
  const port = await freePort()
  const hello = `require('node:http').createServer((_, answer) => answer.end('hello')).listen(${port}, '127.0.0.1')`
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: { start: 'node hello.cjs' } }))
  await writeFile(join(folder, 'hello.cjs'), hello)
  const options = ['--listen', `127.0.0.1:${port}`, '--data-dir', join(folder, 'data')]
  const launch = manifest.scripts.start.replace(/^(exec )?node /, '').split(' ')

  const programs = {
    ours: { command: process.execPath, args: [...launch, ...options], cwd: root, path: '/web/login' },
    hello: { command: process.execPath, args: ['hello.cjs'], cwd: folder, path: '/' },
    oursByNpm: { command: 'npm', args: ['start', '--', ...options], cwd: root, path: '/web/login' },
    helloByNpm: { command: 'npm', args: ['start'], cwd: folder, path: '/' },
  }
  await timeToAnswer(programs.ours, port) // the first start: data directory, compile cache
  const times: Record<keyof typeof programs, number[]> = { ours: [], hello: [], oursByNpm: [], helloByNpm: [] }
  for (let run = 0; run < runs; run += 1)
    for (const name of ['ours', 'hello', 'oursByNpm', 'helloByNpm'] as const) times[name].push(await timeToAnswer(programs[name], port))

  const [ours, helloTime, byNpm, helloByNpm] = [median(times.ours), median(times.hello), median(times.oursByNpm), median(times.helloByNpm)]
  report({
    measure: 'second start to login page, npm start',
    ours: byNpm,
    unit: 'ms',
    against: { name: 'npm start of a hello world', value: helloByNpm },
    aim: { text: `<= ${aim} ms`, holds: byNpm <= aim },
  })
  report({
    measure: 'second start to login page, launcher',
    ours,
    unit: 'ms',
    against: { name: 'hello world', value: helloTime },
    aim: { text: `<= ${aim} ms`, holds: ours <= aim },
  })
  const best = (name: keyof typeof times): string => `${Math.min(...times[name]).toFixed(0)} ms`
  note(
    `fastest of ${runs}: npm start ${best('oursByNpm')}, launcher ${best('ours')}, hello world by npm ${best('helloByNpm')}, hello world ${best('hello')}`,
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}

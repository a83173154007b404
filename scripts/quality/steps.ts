/** The checks that read the sources without running them. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')
const bin = (name: string): string => join(root, 'node_modules', '.bin', name)

export interface Step {
  name: string
  program: string
  args: string[]
}

export const readingSteps: readonly Step[] = [
  { name: 'types (node)', program: bin('tsc'), args: ['-p', 'tsconfig.json', '--noEmit'] },
  { name: 'types (console)', program: bin('tsc'), args: ['-p', 'packages/console', '--noEmit'] },
  { name: 'types (e2e)', program: bin('tsc'), args: ['-p', 'e2e', '--noEmit'] },
  { name: 'lint', program: bin('oxlint'), args: ['--type-aware', '--quiet'] },
  { name: 'format', program: bin('oxfmt'), args: ['--check'] },
]

/** Runs a step and shows its output only when it fails. */
export async function passes({ name, program, args }: Step): Promise<boolean> {
  const started = performance.now()
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
  })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (code !== 0) process.stdout.write(Buffer.concat(output))
  console.log(`${code === 0 ? 'ok    ' : 'FAILED'}  ${name}  ${seconds} s`)
  return code === 0
}

/** Runs a program with its output shown as it comes; answers its exit code. */
export function show(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', env })
  return new Promise((resolve, reject) => child.once('error', reject).once('close', (code) => resolve(code ?? 1)))
}

export const vitest = bin('vitest')

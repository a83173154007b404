/**
 * Shows that something long is going on: on a terminal one line that counts seconds, elsewhere a plain line at the
 * start and one at the end. Steps that take less than a second show nothing on a terminal.
 */
import { spawn } from 'node:child_process'

/**
 * Runs a program quietly. Its output is shown only when it fails, as part of the error.
 * @param {string} what what is being done, as the reader sees it: "Installing dependencies"
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, advice: string }} options `advice` ends the error: what the reader can do
 */
export async function runStep(what, program, args, { cwd, advice }) {
  const started = performance.now()
  const seconds = () => Math.round((performance.now() - started) / 1000)
  const live = process.stdout.isTTY
  if (!live) console.log(`${what} ...`)
  const ticker = live ? setInterval(() => process.stdout.write(`\r${what} ... ${seconds()} s`), 1000) : undefined
  const { code, output } = await run(program, args, cwd)
  clearInterval(ticker)
  if (live && seconds() > 0) process.stdout.write(`\r${what} ... done in ${seconds()} s\n`)
  if (!live) console.log(`${what}: done in ${seconds()} s`)
  if (code !== 0) throw new Error(`${output.trimEnd()}\n\n${what} failed: ${advice}`)
}

/** @returns {Promise<{ code: number | null, output: string }>} */
function run(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-20_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (cause) => reject(new Error(`${program} cannot be run: ${cause.message}`, { cause })))
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** Runs a file on this tree's own Node, in this process when that is what is running already. */
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import module from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { modules, ownNode, root } from './paths.mjs'

/**
 * Resolves only when the file ran in this process; a child's exit status becomes this process's own.
 * @param {string} file path from the root of the tree
 * @param {readonly string[]} args
 */
export async function runFile(file, args) {
  const path = join(root, file)
  if (realpathSync(process.execPath) === realpathSync(ownNode)) {
    module.enableCompileCache(join(modules, '.cache', 'sallyport'))
    process.argv.splice(1, Infinity, path, ...args)
    await import(pathToFileURL(path).href)
    return
  }
  const child = spawn(ownNode, [path, ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${join(modules, '.bin')}:${process.env.PATH}` },
  })
  // A signal sent to this process alone must reach the one that does the work; this one then waits for it to end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.exit(await new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))))
}

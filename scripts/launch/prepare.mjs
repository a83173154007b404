/** Brings dependencies, and what is built, in line with the sources; does nothing, in a few milliseconds, when they are. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { builds, modules, ownNode, root, stampFile } from './paths.mjs'
import { runStep } from './progress.mjs'

/** @param {{ console: boolean }} want */
export async function prepare(want) {
  const stamp = readStamp()

  const dependencies = fingerprintOfFile(join(root, 'package-lock.json'))
  if (stamp.dependencies !== dependencies || !existsSync(ownNode)) {
    await install()
    stamp.dependencies = dependencies
    writeStamp(stamp)
  }

  if (!want.console) return
  for (const { name, title, sources: folders, script, built } of builds) {
    const sources = fingerprintOfTree(folders)
    if (stamp[name] === sources && existsSync(built)) continue
    await runStep(title, ownNode, [script], { cwd: root, advice: 'the messages above say where the sources are broken.' })
    stamp[name] = sources
    writeStamp(stamp)
  }
}

/**
 * `install` and not `ci`: ci refuses a lock file that lacks the prebuilt binaries of other platforms. `--no-save`
 * keeps the lock file as it is; every version and checksum still comes from it. No install scripts are run: nothing
 * here needs one, and the native parts that some packages would compile are optional.
 */
async function install() {
  await runStep(
    'Installing dependencies',
    'npm',
    ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: root,
      advice: 'check that the npm registry can be reached and that this folder is writable, then start again.',
    },
  )
  if (!existsSync(ownNode))
    throw new Error(
      `There is no Node 26 package for ${process.platform}-${process.arch}: Sallyport runs on Linux and macOS, x64 and arm64.`,
    )
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    return {}
  }
}

function writeStamp(stamp) {
  mkdirSync(modules, { recursive: true })
  writeFileSync(stampFile, JSON.stringify(stamp))
}

function fingerprintOfFile(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

/** Over names, sizes and times: reading the files themselves would cost more than all the rest of a start. */
function fingerprintOfTree(folders) {
  const hash = createHash('sha256')
  const visit = (folder) => {
    const entries = readdirSync(folder, { withFileTypes: true })
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) {
      if (entry.name === 'dist' || entry.name === 'node_modules') continue
      const path = join(folder, entry.name)
      if (entry.isDirectory()) visit(path)
      else if (!entry.name.includes('.test.')) {
        const { size, mtimeMs } = statSync(path)
        hash.update(`${path}\0${size}\0${mtimeMs}\n`)
      }
    }
  }
  folders.forEach(visit)
  return hash.digest('hex')
}

/**
 * Builds what `npm start` runs: the command line and the proxy, bundled. Nearly two thousand modules that Node finds, reads
 * and links one by one take it longer than all the rest of a start. Everything else (tests, `npm run dev`, the other
 * commands) runs the sources.
 */
import { readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import type { Plugin } from 'vite'

const packages = join(import.meta.dirname, '..', 'packages')
const dist = join(packages, 'cli', 'dist')
/** Each build has its folder: a process of before goes on fetching parts of its own while it still has terminals. */
const name = `build-${Date.now()}`
const kept = 3

/** Threads are started from a file of their own: name of the source → where it is. */
const threads = {
  'library-worker': join(packages, 'proxy', 'src', 'core', 'recordings', 'library-worker.ts'),
  'painter-worker': join(packages, 'proxy', 'src', 'kinds', 'desktop', 'painter-worker.ts'),
}
const threadAddress = /new URL\('(?:\.\/)?([\w-]+-worker)\.ts', import\.meta\.url\)/g

/** Modules go on knowing where their source is: what they read beside it is not in the bundle. */
const places: Plugin = {
  name: 'places',
  enforce: 'pre',
  transform(code, id) {
    if (!id.startsWith(packages) || !code.includes('import.meta.')) return
    return code
      .replace(threadAddress, (_, name: string) => {
        if (!Object.hasOwn(threads, name)) throw new Error(`${id} starts a thread that is not built: add ${name} to scripts/build-proxy.ts`)
        return `new URL('./${name}.mjs', ownAddress)`
      })
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.filename', JSON.stringify(id))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      .replaceAll('ownAddress', 'import.meta.url')
  },
}

try {
  await build({
    root: join(packages, 'cli'),
    configFile: false,
    logLevel: 'warn',
    plugins: [places],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: join(dist, name),
      target: 'node26',
      // A stack should still tell what went wrong where.
      minify: false,
      rolldownOptions: {
        input: { main: join(packages, 'cli', 'src', 'main.ts'), ...threads },
        // What is compiled or starts threads from files of its own; and ssh2, of which agent and proxy open the inside.
        external: [
          /\.node$/,
          /^@xterm\//,
          /^@node-rs\//,
          /^@lydell\/node-pty/,
          'ssh2',
          /^ssh2\//,
          'pino',
          'cpu-features',
          'bufferutil',
          'utf-8-validate',
        ],
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  })
} catch (error) {
  // The bundler's message names file and line; its stack would bury it.
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

// Replaced as a whole, so that a start meets the build of before or this one.
await writeFile(join(dist, 'main.new'), `import './${name}/main.mjs'\n`)
await rename(join(dist, 'main.new'), join(dist, 'main.mjs'))
const builds = (await readdir(dist)).filter((entry) => entry.startsWith('build-')).toSorted()
for (const old of builds.slice(0, -kept)) await rm(join(dist, old), { recursive: true })

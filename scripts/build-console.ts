/** Builds the console for the proxy to serve: Vite's bundle, with every compressible file also as .br and .gz beside it. */
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build } from 'vite'

const consoleFolder = join(import.meta.dirname, '..', 'packages', 'console')
const compressible = /\.(js|css|svg|json|map|txt)$/

// What the shell happens to have set would make it the libraries' editions for developers, of several times the size.
process.env['NODE_ENV'] = 'production'
try {
  await build({ root: consoleFolder, configFile: join(consoleFolder, 'vite.config.ts'), logLevel: 'warn' })
} catch (error) {
  // The bundler's message names file and line; its stack would bury it.
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

const built = join(consoleFolder, 'dist')
const files = await readdir(built, { recursive: true, withFileTypes: true })
await Promise.all(
  files
    .filter((entry) => entry.isFile() && compressible.test(entry.name))
    .map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      const content = await readFile(path)
      const brotli = promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } })
      const gzipped = promisify(gzip)(content, { level: 9 })
      await Promise.all([brotli.then((bytes) => writeFile(`${path}.br`, bytes)), gzipped.then((bytes) => writeFile(`${path}.gz`, bytes))])
    }),
)

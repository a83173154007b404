/**
 * Builds what a machine that joins is given: the agent as one file, and beside it the one native module that it needs. The
 * proxy adds the Node that it runs on itself.
 */
import { copyFile, cp, mkdir, readdir, realpath } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import type { Rolldown } from 'vite'

const agent = join(import.meta.dirname, '..', 'packages', 'agent')
const out = join(agent, 'dist')
const modules = join(import.meta.dirname, '..', 'node_modules')
const terminalModule = `@lydell/node-pty-${process.platform}-${process.arch}`

/** Folders of packages whose code is in the file. */
const packages = new Set([join(modules, '@lydell', 'node-pty')])
try {
  const built = (await build({
    root: agent,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: {
      ssr: 'src/standalone.ts',
      outDir: out,
      emptyOutDir: true,
      target: 'node26',
      rolldownOptions: {
        // What is compiled is found beside the file, or, where it is optional, not at all.
        external: [/\.node$/, 'cpu-features', 'bufferutil', 'utf-8-validate'],
        output: {
          entryFileNames: 'agent.mjs',
          codeSplitting: false,
          // Packages in the older format look for themselves.
          intro: 'const __dirname = import.meta.dirname, __filename = import.meta.filename;',
        },
      },
    },
  })) as Rolldown.RolldownOutput
  for (const id of built.output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))) {
    const [folder] = /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(id) ?? []
    if (folder !== undefined) packages.add(folder)
  }
} catch (error) {
  // The bundler's message names file and line; its stack would bury it.
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

const from = dirname(createRequire(join(agent, 'package.json')).resolve(`${terminalModule}/package.json`))
await cp(from, join(out, 'node_modules', terminalModule), { recursive: true })

// Their authors are named wherever their code goes.
const licenses = join(out, 'licenses')
await mkdir(licenses, { recursive: true })
for (const folder of [...packages, join(dirname(await realpath(process.execPath)), '..')]) {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name))
  const name = packages.has(folder) ? folder.slice(folder.lastIndexOf('node_modules/') + 13).replace('/', '-') : 'node'
  if (file) await copyFile(join(folder, file), join(licenses, `${name}.txt`))
}

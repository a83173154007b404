/** Where the launcher finds things; everything else it needs is passed in. */
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const modules = join(root, 'node_modules')
/** The Node that npm installed for this tree. */
export const ownNode = join(modules, '.bin', 'node')
/** What is built, the proxy itself and what it serves: from which folders, by which script, and a file that is there when it was. */
export const builds = [
  {
    name: 'console',
    title: 'Building the console',
    sources: ['packages/console', 'packages/wire', 'packages/protocols'].map((path) => join(root, path)),
    script: join(root, 'scripts', 'build-console.ts'),
    built: join(root, 'packages', 'console', 'dist', 'index.html'),
  },
  {
    name: 'agent',
    title: 'Building the agent',
    sources: ['packages/agent', 'packages/wire', 'packages/protocols'].map((path) => join(root, path)),
    script: join(root, 'scripts', 'build-agent.ts'),
    built: join(root, 'packages', 'agent', 'dist', 'agent.mjs'),
  },
  {
    name: 'proxy',
    title: 'Building the proxy',
    sources: ['packages/cli', 'packages/proxy', 'packages/agent', 'packages/wire', 'packages/protocols'].map((path) => join(root, path)),
    script: join(root, 'scripts', 'build-proxy.ts'),
    built: join(root, 'packages', 'cli', 'dist', 'main.mjs'),
  },
]
/** The file behind `sallyport`, and what it becomes where everything is built. */
export const commandLine = 'packages/cli/src/main.ts'
export const builtCommandLine = 'packages/cli/dist/main.mjs'
/** What the dependencies and the builds were made from. */
export const stampFile = join(modules, '.sallyport.json')

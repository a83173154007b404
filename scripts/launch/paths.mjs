/** Where the launcher finds things; everything else it needs is passed in. */
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const modules = join(root, 'node_modules')
/** The Node that npm installed for this tree. */
export const ownNode = join(modules, '.bin', 'node')
export const consoleSources = ['packages/console', 'packages/wire', 'packages/protocols'].map((path) => join(root, path))
export const consoleBuilt = join(root, 'packages', 'console', 'dist')
/** What the dependencies and the built console were made from. */
export const stampFile = join(modules, '.sallyport.json')

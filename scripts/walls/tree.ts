/** The committed sources as the wall tests see them: paths from the root, text, and where each import leads. */
import { readFileSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')
const skipped = new Set(['node_modules', 'dist', '.git', 'results', '.sallyport', 'coverage'])
const binary = /\.(woff2|png|ico|webp)$/

export interface SourceFile {
  path: string
  text: string
}

export interface Import {
  from: string
  /** A path from the root, such as packages/wire/src/acl.ts, or a package's name. */
  to: string
}

export function readTree(folder = ''): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (skipped.has(entry.name)) return []
    if (entry.isDirectory()) return readTree(path)
    return entry.isFile() && !binary.test(entry.name) ? [{ path, text: readFileSync(join(root, path), 'utf8') }] : []
  })
}

const statement =
  /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?from\s*['"]([^'"]+)['"]|\bimport\s*\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g
const ownPackage = /^@sallyport\/([a-z]+)\/(.+)$/

export function importsOf({ path, text }: SourceFile): Import[] {
  return [...text.matchAll(statement)].map((match) => ({ from: path, to: resolve(path, match[1] ?? match[2] ?? match[3] ?? '') }))
}

function resolve(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  const [, room, file] = ownPackage.exec(specifier) ?? []
  return room && file ? `packages/${room}/src/${file}` : specifier
}

/** Paths on servers, as transfers name them. Nothing here limits where they lead: that is up to the login's rights there. */
import { badParameter } from '../../../core/errors.ts'

/** The path as the server shall see it: `~` is where logins start, which is what relative paths are relative to. */
export function fromHome(path: string): string {
  if (path === '~') return '.'
  if (path.startsWith('~/')) return `./${path.slice(2).replace(/^\/+/, '')}`
  if (path.startsWith('~')) throw badParameter(`"${path}": only the own home "~/" can be named so; give the whole path of another's`)
  return path.startsWith('/') ? path : `./${path}`
}

/** The last part; empty for paths that end in a slash. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const joinPath = (directory: string, name: string): string => (directory.endsWith('/') ? directory + name : `${directory}/${name}`)

/** Why a name is no name of a file in a directory: it would lead elsewhere. */
export const leadsElsewhere = (name: string): boolean =>
  name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0')

/** One word for a POSIX shell. */
export const quoteForShell = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** What is said about a file to download. */
import type { Download } from '@sallyport/wire/calls/downloads.ts'

const systems: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows', windows: 'Windows' }
const titles: Readonly<Record<string, string>> = { agent: 'Agent', cli: 'Command line' }
const purposes: Readonly<Record<string, string>> = {
  agent:
    'Makes a machine a server of this cluster, and the way to what it reaches. Enroll New Resource installs it with one command; the file is for images of machines and for installing by hand.',
}

const editions: Readonly<Record<string, string>> = { oss: 'Open source', ent: 'Enterprise' }

export const editionOf = ({ edition }: Pick<Download, 'edition'>): string => editions[edition] ?? edition
export const titleOf = ({ name }: Pick<Download, 'name'>): string => titles[name] ?? name
export const purposeOf = ({ name }: Pick<Download, 'name'>): string | undefined => purposes[name]
export const platformWords = ({ os, arch }: Pick<Download, 'os' | 'arch'>): string => `${systems[os] ?? os}, ${arch}`

/** The last part of its address. */
export const fileNameOf = ({ url, name }: Pick<Download, 'url' | 'name'>): string =>
  URL.parse(url, 'https://proxy')?.pathname.split('/').at(-1) || name

export function sizeWords(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** For the shell of the machine that it is for. */
export function verifyCommand(item: Pick<Download, 'url' | 'name' | 'os' | 'sha256'>): string {
  const name = fileNameOf(item)
  if (item.os === 'darwin') return `echo "${item.sha256}  ${name}" | shasum -a 256 -c`
  if (item.os.startsWith('win')) return `(Get-FileHash ${name}).Hash -eq "${item.sha256}"`
  return `echo "${item.sha256}  ${name}" | sha256sum -c`
}

/** Those for the viewer's own system come first. `userAgent` is the browser's name for itself. */
export function ownFirst<T extends Pick<Download, 'os'>>(items: readonly T[], userAgent: string): T[] {
  const own = /Windows/.test(userAgent) ? 'win' : /Mac OS/.test(userAgent) ? 'darwin' : 'linux'
  return items.toSorted((a, b) => Number(b.os.startsWith(own)) - Number(a.os.startsWith(own)))
}

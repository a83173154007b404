import { installCommand } from '@sallyport/wire/entities/join-token.ts'
import type { InstallScript } from '@sallyport/wire/entities/join-token.ts'

/** The command that enrolls a machine. */
export type Script = InstallScript

export interface Command {
  baseUrl: string
  token: string
  script: Script
  /** Not empty when the proxy has a certificate that machines do not know, and is recognised by its key. */
  pin: string
  /** What the machine is to reach. */
  query?: Readonly<Record<string, string>>
}

export const commandOf = ({ baseUrl, token, script, pin, query }: Command): string => installCommand(baseUrl, token, script, pin, query)

/** Fetches key and certificate for the server of a database; the token is used up. */
export function signCommand({
  baseUrl,
  token,
  pin,
  cluster,
  host,
}: Omit<Command, 'script' | 'query'> & { cluster: string; host: string }): string {
  const flags = pin === '' ? '-fsSL' : `-fsSLk --pinnedpubkey '${pin}'`
  const url = `${baseUrl}/v1/webapi/sites/${encodeURIComponent(cluster)}/sign/db`
  const body = JSON.stringify({ hostname: host, ttl: '8760h' })
  return `curl ${flags} ${url} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${body}' | tar -xz`
}

/** `03:47:12`; nothing left is zero. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

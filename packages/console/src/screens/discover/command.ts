import { installCommand } from '@sallyport/wire/entities/join-token.ts'

/** The command that enrolls a machine. */
export type Script = 'install-node' | 'install-openssh'

/** With `pin`, the proxy has a certificate that machines do not know, and is recognised by its key. */
export const commandOf = ({ baseUrl, token, script, pin }: { baseUrl: string; token: string; script: Script; pin: string }): string =>
  installCommand(baseUrl, token, script, pin)

/** `03:47:12`; nothing left is zero. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

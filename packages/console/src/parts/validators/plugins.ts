/** Services that are told of access requests. */
import { isMailAddress } from '@sallyport/wire/entities/plugin.ts'
import type { Problem } from './problem.ts'

const isOnThisMachine = (host: string): boolean => /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|::1)$/.test(host)

/** Without TLS on the machine of the proxy only. */
export function chatAddress(text: string): Problem {
  const url = URL.parse(text.trim())
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isOnThisMachine(url.hostname))
  return isSafe ? undefined : 'Enter the address of the server, such as https://chat.example.com'
}

export const slackToken = (text: string): Problem =>
  /^(xoxe\.)?xoxb-/.test(text.trim()) ? undefined : 'Use the bot token, which begins with xoxb-'

export const mailAddress = (text: string): Problem =>
  isMailAddress(text.trim()) ? undefined : 'Enter a mail address, such as sallyport@example.com'

export const mailTls = (tls: string, host: string): Problem =>
  tls === 'none' && !isOnThisMachine(host.trim()) ? 'Only for a server on the machine of this proxy' : undefined

import { login as whyNotLogin } from './validators/login.ts'

/** Where a typed `login@host[:port]`, or a pasted `ssh login@host`, leads; undefined when it is none. The proxy finds the server. */
export function parseSshTarget(text: string): { login: string; serverId: string } | undefined {
  const match = /^(?:ssh\s+)?(\S+)@(\[[0-9a-fA-F:.]+\]|[^@\s:/]+)(?::(\d{1,5}))?$/.exec(text.trim())
  if (!match) return undefined
  const [, login = '', host = '', port] = match
  if (whyNotLogin(login) !== undefined || (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))) return undefined
  return { login, serverId: port === undefined ? host : `${host}:${port}` }
}

/** Words or an expression as a list of servers is asked for them: who writes operators or calls means an expression. */
export function serverFilter(text: string): { search: string } | { query: string } {
  const wanted = text.trim()
  return /[=!]=|&&|\|\||^!?\w+\(/.test(wanted) ? { query: wanted } : { search: wanted }
}

/** `login@` and then words or an expression that find the servers; undefined when it is a host, or no login stands before it. */
export function parseServerQuest(text: string): { login: string; wanted: string } | undefined {
  const [, login = '', wanted = ''] = /^(?:ssh\s+)?([^\s@]+)@\s*(.+)$/.exec(text.trim()) ?? []
  if (wanted === '' || whyNotLogin(login) !== undefined) return undefined
  return parseSshTarget(text) && 'search' in serverFilter(wanted) ? undefined : { login, wanted }
}

/** A host name as its first part and the domain behind it; addresses have no tail. */
export function splitHost(hostname: string): { name: string; tail: string } {
  const dot = hostname.indexOf('.')
  if (dot <= 0 || /^[\d.:]+$/.test(hostname)) return { name: hostname, tail: '' }
  return { name: hostname.slice(0, dot), tail: hostname.slice(dot) }
}

import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { rawReader } from '@sallyport/wire/audit/event.ts'

export interface Fact {
  label: string
  value: string
  /** Said after the value, not part of the filter. */
  note?: string
  mono?: boolean
}

/** What a reader wants to know first: who, where, from, which session, why. Facts the event does not have are left out. */
export function eventFacts(event: AuditDisplay): Fact[] {
  const raw = rawReader(event.raw)
  const [address, port] = splitAddress(raw('addr.remote'))
  const login = raw('login')
  const facts: (Fact | undefined)[] = [
    fact('Who', event.user, login && login !== event.user ? `as ${login}` : undefined),
    fact('Where', raw('server_hostname') || raw('desktop_name') || raw('kubernetes_cluster') || raw('server_addr') || raw('name')),
    fact('From', address, port && `port ${port}`, true),
    fact('Session', raw('sid'), undefined, true),
    fact('Role', raw('role')),
    fact('Requests', raw('access_requests') || raw('id'), undefined, true),
    fact('Reason', raw('reason') || raw('error')),
  ]
  return facts.filter((one) => one !== undefined)
}

function fact(label: string, value: string, note?: string, mono?: boolean): Fact | undefined {
  return value === '' ? undefined : { label, value, ...(note && { note }), ...(mono && { mono }) }
}

/** Host and port of `host:port`; port empty when there is none. */
function splitAddress(text: string): [string, string] {
  const match = /^(.*):(\d+)$/.exec(text)
  return match ? [match[1] ?? '', match[2] ?? ''] : [text, '']
}

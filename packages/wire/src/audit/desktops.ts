/** Desktops: sessions, clipboard, shared directories. */
import { auditSentence, defineAudit } from './event.ts'
import type { Raw } from './event.ts'

const group = 'Desktop'
const start = {
  type: 'windows.desktop.session.start',
  group,
  fields: ['desktop_name', 'desktop_addr', 'windows_user', 'windows_domain', 'sid'],
} as const

function desktopAs(raw: Raw): string {
  const domain = raw('windows_domain') === '' ? '' : ` [domain ${raw('windows_domain')}]`
  return `desktop ${raw('desktop_name') || raw('desktop_addr')} as ${raw('windows_user')}${domain}`
}

export const desktopAudit = defineAudit({
  // Ours: documents of desktops.
  SDP00I: auditSentence(group, 'windows_desktop.create', 'Desktop created', '{user} created desktop {name} at {desktop_addr}'),
  SDP01I: auditSentence(group, 'windows_desktop.update', 'Desktop changed', '{user} changed desktop {name} at {desktop_addr}'),
  SDP02I: auditSentence(group, 'windows_desktop.delete', 'Desktop removed', '{user} removed desktop {name}'),
  TDP00I: { ...start, title: 'Desktop opened', message: (raw) => `${raw('user')} opened ${desktopAs(raw)}` },
  TDP00W: { ...start, title: 'Desktop refused', message: (raw) => `${raw('user')} was refused ${desktopAs(raw)}` },
  TDP01I: auditSentence(
    group,
    'windows.desktop.session.end',
    'Desktop session ended',
    'Desktop session {sid} of {user} on {desktop_name|desktop_addr} ended',
  ),
  TDP02I: auditSentence(
    group,
    'desktop.clipboard.send',
    'Clipboard sent',
    '{user} sent {length} clipboard bytes to {desktop_name|desktop_addr}',
  ),
  TDP03I: auditSentence(
    group,
    'desktop.clipboard.receive',
    'Clipboard received',
    '{user} got {length} clipboard bytes from {desktop_name|desktop_addr}',
  ),
  TDP04I: auditSentence(
    group,
    'desktop.directory.share',
    'Directory shared',
    '{user} shared {directory_name} with {desktop_name|desktop_addr}',
  ),
  TDP04W: auditSentence(
    group,
    'desktop.directory.share',
    'Directory not shared',
    '{user} could not share {directory_name} with {desktop_name|desktop_addr}',
  ),
  TDP05I: auditSentence(
    group,
    'desktop.directory.read',
    'Shared file read',
    '{user} read {length} bytes of {file_path} in {directory_name} on {desktop_name|desktop_addr}',
  ),
  TDP05W: auditSentence(
    group,
    'desktop.directory.read',
    'Shared file not read',
    '{user} could not read {length} bytes of {file_path} in {directory_name} on {desktop_name|desktop_addr}',
  ),
  TDP06I: auditSentence(
    group,
    'desktop.directory.write',
    'Shared file written',
    '{user} wrote {length} bytes to {file_path} in {directory_name} on {desktop_name|desktop_addr}',
  ),
  TDP06W: auditSentence(
    group,
    'desktop.directory.write',
    'Shared file not written',
    '{user} could not write {length} bytes to {file_path} in {directory_name} on {desktop_name|desktop_addr}',
  ),
})

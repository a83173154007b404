/** What is done over SSH besides terminals: commands, subsystems, forwarded ports. */
import { defineAudit } from './event.ts'
import type { Raw } from './event.ts'

const group = 'Sessions'
const connection = ['addr.remote', 'addr.local', 'proto'] as const
const server = ['server_id', 'server_hostname', 'server_addr', 'server_labels', 'namespace'] as const
const host = (raw: Raw): string => raw('server_hostname') || raw('server_addr') || raw('server_id')

export const sshAudit = defineAudit({
  T3001I: {
    type: 'subsystem',
    title: 'Subsystem requested',
    group,
    fields: ['name', 'login', ...server, ...connection],
    message: (raw) => `${raw('user')} started subsystem ${raw('name')}`,
  },
  T3001E: {
    type: 'subsystem',
    title: 'Subsystem request failed',
    group,
    fields: ['name', 'exitError', 'login', ...server, ...connection],
    message: (raw) => `Subsystem ${raw('name')} for ${raw('user')} failed: ${raw('exitError')}`,
  },
  T3002I: {
    type: 'exec',
    title: 'Command run',
    group,
    fields: ['sid', 'command', 'exitCode', 'login', ...server, ...connection],
    message: (raw) => `${raw('user')} ran a command on ${raw('kubernetes_cluster') || host(raw)} in ${raw('sid')}`,
  },
  T3002E: {
    type: 'exec',
    title: 'Command failed',
    group,
    fields: ['sid', 'command', 'exitCode', 'exitError', 'login', ...server, ...connection],
    message: (raw) => `A command by ${raw('user')} on ${raw('kubernetes_cluster') || host(raw)} failed: ${raw('exitError')}`,
  },
  T3003I: {
    type: 'port',
    title: 'Port forwarded',
    group,
    fields: ['addr', 'login', ...server, ...connection],
    message: (raw) => `${raw('user')} forwarded a port to ${raw('addr')}`,
  },
  T3003E: {
    type: 'port',
    title: 'Port forward failed',
    group,
    fields: ['addr', 'error', 'login', ...server, ...connection],
    message: (raw) => `Port forward by ${raw('user')} failed: ${raw('error')}`,
  },
  T3008I: {
    type: 'x11-forward',
    title: 'X11 forwarded',
    group,
    fields: ['login', ...server, ...connection],
    message: (raw) => `${raw('user')} started X11 forwarding`,
  },
  T3008W: {
    type: 'x11-forward',
    title: 'X11 forwarding refused',
    group,
    fields: ['login', ...server, ...connection],
    message: (raw) => `X11 forwarding refused for ${raw('user')}`,
  },
})

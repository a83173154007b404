import { durationInWords } from '../entities/duration-in-words.ts'
import { auditSentence, defineAudit } from './event.ts'
import type { AuditEventWire, Raw } from './event.ts'

const group = 'Sessions'
const connection = ['addr.remote', 'addr.local', 'proto'] as const
const server = ['server_id', 'server_hostname', 'server_addr', 'server_labels', 'namespace'] as const
const host = (raw: Raw): string => raw('server_hostname') || raw('server_addr') || raw('server_id')

function sessionEnded(raw: Raw, event: AuditEventWire): string {
  const user = raw('user')
  const sid = raw('sid')
  if (raw('proto') === 'kube') return `${user} ended a session on Kubernetes ${raw('kubernetes_cluster')} (${sid})`
  if (event['interactive'] !== true) return `${user} ended a non-interactive session ${sid} on ${host(raw)}`
  const duration = Date.parse(raw('session_stop')) - Date.parse(raw('session_start'))
  const after = Number.isNaN(duration) ? '' : `, after ${durationInWords(duration)}`
  return `${user} ended interactive session ${sid} on ${host(raw)}${after}`
}

export const sessionAudit = defineAudit({
  T2000I: {
    type: 'session.start',
    title: 'Session started',
    group,
    fields: ['sid', 'login', 'size', 'initial_command', 'session_recording', ...server, ...connection],
    message: (raw) =>
      `${raw('user')} opened session ${raw('sid')} on ${raw('kubernetes_cluster') ? `Kubernetes ${raw('kubernetes_cluster')}` : host(raw)}`,
  },
  T2001I: {
    type: 'session.join',
    title: 'Session joined',
    group,
    fields: ['sid', 'login', ...server, ...connection],
    message: (raw) => `${raw('user')} joined session ${raw('sid')}`,
  },
  T2002I: {
    type: 'resize',
    title: 'Terminal resized',
    group,
    fields: ['sid', 'size', 'login', ...server],
    message: (raw) => `${raw('user')} resized the terminal of ${raw('sid')}`,
  },
  T2003I: {
    type: 'session.leave',
    title: 'Session left',
    group,
    fields: ['sid', 'login', ...server],
    message: (raw) => `${raw('user')} left session ${raw('sid')}`,
  },
  T2004I: {
    type: 'session.end',
    title: 'Session ended',
    group,
    fields: [
      'sid',
      'login',
      'interactive',
      'enhanced_recording',
      'participants',
      'session_start',
      'session_stop',
      'session_recording',
      'initial_command',
      ...server,
      ...connection,
    ],
    message: sessionEnded,
  },
  T2005I: {
    type: 'session.upload',
    title: 'Recording stored',
    group,
    fields: ['sid', 'url'],
    message: (raw) => `Recording of ${raw('sid')} was stored`,
  },
  T2006I: {
    type: 'session.data',
    title: 'Session traffic',
    group,
    fields: ['sid', 'tx', 'rx', ...server, ...connection],
    message: (raw) => `Traffic of session ${raw('sid')} was recorded`,
  },
  T2012I: {
    type: 'session.recording.access',
    title: 'Recording opened',
    group,
    fields: ['sid'],
    message: (raw) => `${raw('user')} opened the recording of ${raw('sid')}`,
  },
  T1006W: {
    type: 'session.rejected',
    title: 'Session rejected',
    group,
    fields: ['login', 'server_id', 'reason'],
    message: (raw) => `${raw('user')} could not open ${raw('login')} on ${raw('server_id')}: ${raw('reason')}`,
  },
  T3006I: {
    type: 'client.disconnect',
    title: 'Disconnected',
    group,
    fields: ['reason', ...server],
    message: (raw) => `${raw('user')} was disconnected: ${raw('reason')}`,
  },
  T2010I: auditSentence(group, 'session.connect', 'Connection reached', 'A connection reached {server_addr}'),
  T4000I: {
    ...auditSentence(group, 'session.command', 'Program run', '{program} ran in {sid}'),
    fields: ['pid', 'cgroup_id', 'program', 'path', 'argv', 'return_code', 'ppid', 'sid', 'login', ...server, ...connection],
  },
  T4001I: {
    ...auditSentence(group, 'session.disk', 'File opened by a program', '{program} opened {path} in {sid}'),
    fields: ['pid', 'cgroup_id', 'program', 'path', 'flags', 'return_code', 'sid', 'login', ...server, ...connection],
  },
  T4002I: {
    type: 'session.network',
    title: 'Connection of a program',
    group,
    fields: ['action', 'pid', 'cgroup_id', 'program', 'src_addr', 'dst_addr', 'dst_port', 'sid', 'login', ...server, ...connection],
    message: (raw) =>
      `[${raw('action') === '1' ? 'DENY' : 'ALLOW'}] ${raw('program')} ${raw('src_addr')} -> ${raw('dst_addr')}:${raw('dst_port')} in ${raw('sid')}`,
  },
  TSE001W: {
    type: 'session.enhanced.lost',
    title: 'Events of programs lost',
    group,
    fields: ['count', 'reason', 'sid', 'login', ...server, ...connection],
    message: (raw) =>
      `${Number(raw('count')) > 0 ? raw('count') : 'Some'} events of programs in ${raw('sid')} are missing: ${raw('reason')}`,
  },
  T4003I: auditSentence(group, 'session.process_exit', 'Program ended', '{program} ended with {exit_status} in {sid}'),
})

/** Files copied to and from servers. */
import { defineAudit } from './event.ts'
import type { AuditDefinition, Raw } from './event.ts'

const group = 'Files'
const connection = ['addr.remote', 'addr.local', 'proto'] as const
const server = ['server_id', 'server_hostname', 'server_addr', 'server_labels', 'namespace'] as const
const host = (raw: Raw): string => raw('server_hostname') || raw('server_addr') || raw('addr.local') || raw('server_id')

const scpFields = ['login', 'path', 'action', 'command', 'exitCode', ...server, ...connection] as const
const scp = { type: 'scp', group } as const

const sftpFields = ['login', 'path', 'target_path', 'working_directory', 'flags', 'attributes', 'action', ...server, ...connection] as const

const done = (verb: string): AuditDefinition => ({
  type: 'sftp',
  title: `SFTP: ${verb}`,
  group,
  fields: sftpFields,
  message: (raw) => `${raw('user')} ${verb} ${raw('path')} on ${host(raw)}`,
})
const failed = (verb: string): AuditDefinition => ({
  type: 'sftp',
  title: `SFTP: ${verb}, failed`,
  group,
  fields: [...sftpFields, 'error'],
  message: (raw) => `${raw('user')} ${verb} ${raw('path')} on ${host(raw)}: ${raw('error')}`,
})

export const fileAudit = defineAudit({
  T3004I: {
    ...scp,
    title: 'File downloaded',
    fields: scpFields,
    message: (raw) => `${raw('user')} downloaded ${raw('path')} from ${host(raw)}`,
  },
  T3004E: {
    ...scp,
    title: 'Download failed',
    fields: [...scpFields, 'exitError'],
    message: (raw) => `Download from ${host(raw)} failed: ${raw('exitError')}`,
  },
  T3005I: {
    ...scp,
    title: 'File uploaded',
    fields: scpFields,
    message: (raw) => `${raw('user')} uploaded ${raw('path')} to ${host(raw)}`,
  },
  T3005E: {
    ...scp,
    title: 'Upload failed',
    fields: [...scpFields, 'exitError'],
    message: (raw) => `Upload to ${host(raw)} failed: ${raw('exitError')}`,
  },
  T3010E: {
    ...scp,
    title: 'Copying not allowed',
    fields: ['login', ...server, ...connection],
    message: (raw) => `Copying on ${host(raw)} is not allowed for ${raw('user')}`,
  },
  TS001I: done('opened file'),
  TS001E: failed('opened file'),
  TS002I: done('closed file'),
  TS002E: failed('closed file'),
  TS003I: done('read'),
  TS003E: failed('read'),
  TS004I: done('wrote'),
  TS004E: failed('wrote'),
  TS005I: done('lstat'),
  TS005E: failed('lstat'),
  TS006I: done('fstat'),
  TS006E: failed('fstat'),
  TS007I: done('changed attributes of'),
  TS007E: failed('changed attributes of'),
  TS008I: done('changed attributes by handle'),
  TS008E: failed('changed attributes by handle'),
  TS009I: done('opened directory'),
  TS009E: failed('opened directory'),
  TS010I: done('listed directory'),
  TS010E: failed('listed directory'),
  TS011I: done('deleted file'),
  TS011E: failed('deleted file'),
  TS012I: done('made directory'),
  TS012E: failed('made directory'),
  TS013I: done('deleted directory'),
  TS013E: failed('deleted directory'),
  TS014I: done('resolved path'),
  TS014E: failed('resolved path'),
  TS015I: done('stat'),
  TS015E: failed('stat'),
  TS016I: done('renamed'),
  TS016E: failed('renamed'),
  TS017I: done('read link'),
  TS017E: failed('read link'),
  TS018I: done('made symlink'),
  TS018E: failed('made symlink'),
  TS019I: done('made hard link'),
  TS019E: failed('made hard link'),
  TS020E: {
    type: 'sftp',
    title: 'SFTP not allowed',
    group,
    fields: ['login', ...server, ...connection, 'error'],
    message: (raw) => `SFTP on ${host(raw)} is not allowed for ${raw('user')}`,
  },
})

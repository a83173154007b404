/** Changes that administrators make: roles, connectors, locks, the cluster's settings; and certificates. */
import { auditSentence, defineAudit } from './event.ts'

const group = 'Admin changes'

/** `identity` is an object; readers of this event count on it. */
function certificateHolder(identity: unknown): string {
  return typeof identity === 'object' && identity !== null && 'user' in identity ? String(identity.user) : ''
}

function isForDesktop(identity: unknown): boolean {
  const usage = typeof identity === 'object' && identity !== null && 'usage' in identity ? identity.usage : undefined
  return Array.isArray(usage) && usage.includes('usage:windows_desktop')
}

export const administrationAudit = defineAudit({
  T9000I: {
    type: 'role.created',
    title: 'Role saved',
    group,
    fields: ['name', 'expires'],
    message: (raw) => `${raw('user')} saved role ${raw('name')}`,
  },
  T9001I: {
    type: 'role.deleted',
    title: 'Role removed',
    group,
    fields: ['name'],
    message: (raw) => `${raw('user')} removed role ${raw('name')}`,
  },
  T8000I: {
    type: 'github.created',
    title: 'GitHub connector saved',
    group,
    fields: ['name', 'expires'],
    message: (raw) => `${raw('user')} saved GitHub connector ${raw('name')}`,
  },
  T8001I: {
    type: 'github.deleted',
    title: 'GitHub connector removed',
    group,
    fields: ['name'],
    message: (raw) => `${raw('user')} removed GitHub connector ${raw('name')}`,
  },
  T8100I: {
    type: 'oidc.created',
    title: 'OIDC connector saved',
    group,
    fields: ['name', 'expires'],
    message: (raw) => `${raw('user')} saved OIDC connector ${raw('name')}`,
  },
  T8101I: {
    type: 'oidc.deleted',
    title: 'OIDC connector removed',
    group,
    fields: ['name'],
    message: (raw) => `${raw('user')} removed OIDC connector ${raw('name')}`,
  },
  T8200I: {
    type: 'saml.created',
    title: 'SAML connector saved',
    group,
    fields: ['name', 'expires'],
    message: (raw) => `${raw('user')} saved SAML connector ${raw('name')}`,
  },
  T8201I: {
    type: 'saml.deleted',
    title: 'SAML connector removed',
    group,
    fields: ['name'],
    message: (raw) => `${raw('user')} removed SAML connector ${raw('name')}`,
  },
  TLK00I: {
    type: 'lock.created',
    title: 'Lock placed',
    group,
    fields: ['name', 'target', 'expires'],
    message: (raw) => `${raw('user')} placed lock ${raw('name')}`,
  },
  TLK01I: {
    type: 'lock.deleted',
    title: 'Lock lifted',
    group,
    fields: ['name', 'target'],
    message: (raw) => `${raw('user')} lifted lock ${raw('name')}`,
  },
  T7000I: auditSentence(group, 'trusted_cluster.create', 'Trust established', '{user} established trust with cluster {name}'),
  T7001I: auditSentence(group, 'trusted_cluster.delete', 'Trust ended', '{user} ended trust with cluster {name}'),
  TLR00I: auditSentence(group, 'login_rule.create', 'Login rule saved', '{user} saved login rule {name}'),
  TLR01I: auditSentence(group, 'login_rule.delete', 'Login rule removed', '{user} removed login rule {name}'),
  T7002I: {
    type: 'trusted_cluster_token.create',
    title: 'Trusted-cluster token made',
    group,
    fields: [],
    message: (raw) => `${raw('user')} made a trusted-cluster join token`,
  },
  TJT00I: {
    type: 'join_token.create',
    title: 'Join token made',
    group,
    fields: ['name', 'roles', 'join_method', 'expires'],
    message: (raw) => `${raw('user')} made a ${raw('join_method')} join token for ${raw('roles')}`,
  },
  /** Ours: the reference does not tell of tokens that are removed. */
  TJT01I: {
    type: 'join_token.delete',
    title: 'Join token removed',
    group,
    fields: ['name'],
    message: (raw) => `${raw('user')} removed join token ${raw('name')}`,
  },
  TJ002I: {
    type: 'instance.join',
    title: 'Host joined',
    group,
    fields: ['node_name', 'role', 'method', 'host_id', 'addr.remote', 'success'],
    message: (raw) => `${raw('node_name')} joined as ${raw('role')} by ${raw('method')}`,
  },
  TJ002E: {
    type: 'instance.join',
    title: 'Host refused',
    group,
    fields: ['node_name', 'role', 'method', 'host_id', 'addr.remote', 'success', 'error'],
    message: (raw) => `${raw('node_name') || 'A host'} was not let in as ${raw('role')}: ${raw('error')}`,
  },
  TCAUTH001I: {
    type: 'auth_preference.update',
    title: 'Sign-in settings changed',
    group,
    fields: ['changes'],
    message: (raw) => `${raw('user')} changed the sign-in settings`,
  },
  TCNET002I: {
    type: 'cluster_networking_config.update',
    title: 'Session limits changed',
    group,
    fields: ['changes'],
    message: (raw) => `${raw('user')} changed the session limits`,
  },
  TCREC003I: {
    type: 'session_recording_config.update',
    title: 'Recording settings changed',
    group,
    fields: ['changes'],
    message: (raw) => `${raw('user')} changed the recording settings`,
  },
  THS00I: {
    type: 'openssh_node.save',
    title: 'OpenSSH server saved',
    group,
    fields: ['name', 'hostname', 'addr', 'fingerprint'],
    message: (raw) => `${raw('user') || raw('hostname')} saved the OpenSSH server ${raw('hostname')} at ${raw('addr')}`,
  },
  TAL00I: auditSentence(group, 'cluster_alert.create', 'Cluster alert saved', '{user} saved the cluster alert {name}'),
  TAL01I: auditSentence(group, 'cluster_alert.delete', 'Cluster alert removed', '{user} removed the cluster alert {name}'),
  TUG00I: auditSentence(group, 'user_group.create', 'User group saved', '{user} saved user group {name}'),
  TUG01I: auditSentence(group, 'user_group.delete', 'User group removed', '{user} removed user group {name}'),
  IG001I: {
    type: 'integration.create',
    title: 'Integration created',
    group,
    fields: ['name', 'sub_kind', 'role_arn'],
    message: (raw) => `${raw('user')} created integration ${raw('name')}`,
  },
  IG002I: {
    type: 'integration.update',
    title: 'Integration changed',
    group,
    fields: ['name', 'sub_kind', 'role_arn'],
    message: (raw) => `${raw('user')} changed integration ${raw('name')}`,
  },
  IG003I: {
    type: 'integration.delete',
    title: 'Integration removed',
    group,
    fields: ['name', 'sub_kind', 'role_arn'],
    message: (raw) => `${raw('user')} removed integration ${raw('name')}`,
  },
  /** Ours: what somebody has an integration do in their name. */
  IG004I: {
    type: 'integration.use',
    title: 'Integration used',
    group,
    fields: ['name', 'sub_kind', 'role_arn', 'action', 'region'],
    message: (raw) => `${raw('user')} used integration ${raw('name')} for ${raw('action')}`,
  },
  PG001I: auditSentence(group, 'plugin.create', 'Plugin created', '{user} created {plugin_type} plugin {name}'),
  PG002I: auditSentence(group, 'plugin.update', 'Plugin changed', '{user} changed {plugin_type} plugin {name}'),
  PG003I: auditSentence(group, 'plugin.delete', 'Plugin removed', '{user} removed {plugin_type} plugin {name}'),
  /** Ours. */
  PG004I: auditSentence(group, 'plugin.test', 'Plugin tested', '{user} sent {recipient} a test message by {plugin_type}'),
  THS01I: {
    type: 'openssh_node.delete',
    title: 'OpenSSH server removed',
    group,
    fields: ['name', 'hostname', 'addr'],
    message: (raw) => `${raw('user')} removed the OpenSSH server ${raw('hostname')}`,
  },
  THS02I: {
    type: 'host_key.trust',
    title: 'Host key trusted',
    group: 'Certificates',
    fields: ['name', 'hostname', 'addr', 'fingerprint'],
    message: (raw) => `The key ${raw('fingerprint')} of ${raw('hostname')} is trusted from its first use on`,
  },
  THS02W: {
    type: 'host_key.trust',
    title: 'Host key refused',
    group: 'Certificates',
    fields: ['name', 'hostname', 'addr', 'fingerprint', 'expected'],
    message: (raw) => `${raw('hostname')} showed the key ${raw('fingerprint')} where ${raw('expected')} is expected`,
  },
  TC000I: {
    type: 'cert.create',
    title: 'Certificate issued',
    group: 'Certificates',
    fields: ['cert_type', 'identity'],
    message: (raw, { identity }) =>
      `A ${isForDesktop(identity) ? 'Windows desktop' : raw('cert_type')} certificate was issued to ${certificateHolder(identity)}`,
  },
})

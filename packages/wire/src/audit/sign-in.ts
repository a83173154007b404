import { defineAudit } from './event.ts'

const group = 'Users and sign-in'

export const signInAudit = defineAudit({
  T1000I: {
    type: 'user.login',
    title: 'Local sign-in',
    group,
    fields: ['method', 'success', 'addr.remote', 'user_agent', 'mfa_device'],
    message: (raw) => `${raw('user')} signed in with local credentials`,
  },
  T1000W: {
    type: 'user.login',
    title: 'Local sign-in failed',
    group,
    fields: ['method', 'success', 'error', 'addr.remote', 'user_agent'],
    message: (raw) => `Local sign-in by ${raw('user')} failed: ${raw('error')}`,
  },
  T1002I: {
    type: 'user.create',
    title: 'User added',
    group: 'Admin changes',
    fields: ['name', 'roles', 'connector', 'expires'],
    message: (raw) => `User ${raw('name')} was added`,
  },
  T1003I: {
    type: 'user.update',
    title: 'User changed',
    group: 'Admin changes',
    fields: ['name', 'roles', 'connector', 'expires'],
    message: (raw) => `User ${raw('name')} was changed`,
  },
  T1004I: {
    type: 'user.delete',
    title: 'User removed',
    group: 'Admin changes',
    fields: ['name'],
    message: (raw) => `User ${raw('name')} was removed`,
  },
  T1005I: {
    type: 'user.password_change',
    title: 'Password changed',
    group,
    fields: [],
    message: (raw) => `${raw('user')} set a new password`,
  },
  T1006I: {
    type: 'mfa.add',
    title: 'Second-factor device added',
    group,
    fields: ['mfa_device_name', 'mfa_device_uuid', 'mfa_device_type'],
    message: (raw) => `${raw('user')} registered ${raw('mfa_device_type')} device ${raw('mfa_device_name')}`,
  },
  T1007I: {
    type: 'mfa.delete',
    title: 'Second-factor device removed',
    group,
    fields: ['mfa_device_name', 'mfa_device_uuid', 'mfa_device_type'],
    message: (raw) => `${raw('user')} removed ${raw('mfa_device_type')} device ${raw('mfa_device_name')}`,
  },
  T3007W: {
    type: 'auth',
    title: 'Authentication refused',
    group,
    fields: ['success', 'error', 'addr.remote'],
    message: (raw) => `Authentication of ${raw('user')} was refused: ${raw('error')}`,
  },
  T6000I: {
    type: 'reset_password_token.create',
    title: 'Password link made',
    group,
    fields: ['name', 'ttl', 'expires'],
    message: (raw) => `${raw('user')} made a password link for ${raw('name')}`,
  },
  T6002I: {
    type: 'privilege_token.create',
    title: 'Re-authenticated',
    group,
    fields: ['name', 'ttl', 'expires'],
    message: (raw) => `${raw('name')} re-authenticated for sensitive changes`,
  },
  TJT00I: {
    type: 'join_token.create',
    title: 'Join token made',
    group: 'Admin changes',
    fields: ['roles', 'join_method', 'expires'],
    message: (raw) => `${raw('user')} made a ${raw('join_method')} join token for ${raw('roles')}`,
  },
})

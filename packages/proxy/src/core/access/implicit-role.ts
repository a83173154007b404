/** Roles that people hold without having been given them. */
import { parseResource } from '../resources/resources.ts'
import type { RoleOptions } from './role-options.ts'
import { implicitRoleName, roleKind, untrustedDeviceRoleName } from './role.ts'
import type { Role } from './role.ts'

const { whyNotName: _reserved, ...definition } = roleKind

/** What everybody may do. */
const implicitRole = parseResource(definition, {
  metadata: { name: implicitRoleName },
  spec: {
    allow: {
      rules: [
        {
          resources: [
            'node',
            'proxy',
            'auth_server',
            'tunnel',
            'cluster_auth_preference',
            'cluster_name',
            'ssh_session',
            'app_server',
            'app',
            'remote_cluster',
            'kube_server',
            'kube_cluster',
            'db_server',
            'db',
            'windows_desktop',
            'windows_desktop_service',
          ],
          verbs: ['list', 'read'],
        },
        { resources: ['cert_authority'], verbs: ['list', 'readnosecrets'] },
        { resources: ['usage_event'], verbs: ['create'] },
      ],
    },
  },
})

const everything = { '*': '*' }
/** No device proves itself to this cluster yet, so whoever has to use a trusted one reaches nothing. */
const untrustedDeviceRole = parseResource(definition, {
  metadata: { name: untrustedDeviceRoleName },
  spec: {
    deny: {
      node_labels: everything,
      app_labels: everything,
      db_labels: everything,
      kubernetes_labels: everything,
      windows_desktop_labels: everything,
    },
  },
})

const asksForDevice = ({ device_trust_mode: mode }: RoleOptions): boolean => mode === 'required'

/** All that decide about somebody who was given `roles`. */
export const rolesInForce = (roles: readonly Role[]): Role[] => [
  ...roles,
  implicitRole,
  ...(roles.some(({ spec }) => asksForDevice(spec.options)) ? [untrustedDeviceRole] : []),
]

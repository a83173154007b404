/** The role that everybody holds without having been given it. */
import { parseResource } from '../resources/resources.ts'
import { implicitRoleName, roleKind } from './role.ts'

const { whyNotName: _reserved, ...definition } = roleKind

export const implicitRole = parseResource(definition, {
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

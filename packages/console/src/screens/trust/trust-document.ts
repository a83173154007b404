/** The document of a trusted cluster as the editor knows it. */
import { metadataShape } from '../../parts/documents/role-shape.ts'
import type { Shape } from '../../parts/documents/shape.ts'

const names = (note: string): Shape => ({ note, is: 'list', of: { is: 'text' } })

export const trustShape: Shape = {
  is: 'map',
  required: ['kind', 'metadata', 'spec'],
  fields: {
    kind: { is: 'text', values: ['trusted_cluster'], only: true },
    version: { is: 'text', values: ['v2'], only: true },
    metadata: metadataShape,
    spec: {
      is: 'map',
      required: ['web_proxy_addr'],
      fields: {
        enabled: { note: 'Whether this cluster is connected to the root', is: 'flag' },
        role_map: {
          note: 'Which roles of the root become which roles here; nobody else comes in',
          is: 'list',
          of: {
            is: 'map',
            required: ['remote', 'local'],
            fields: {
              remote: { note: 'A role of the root: its name, with * for any text, or ^…$ as an expression', is: 'text' },
              local: names('Roles of this cluster; $1 stands for what the first * or group matched'),
            },
          },
        },
        roles: names('The older way: every role of the root becomes these'),
        token: { note: 'A join token of the root, made for the role trusted_cluster; used once and not kept', is: 'text' },
        web_proxy_addr: { note: 'The root’s proxy', is: 'text', example: 'root.example.com:443' },
        tunnel_addr: { note: 'Another address of it for the connection itself', is: 'text', example: 'root.example.com:443' },
        ca_pin: {
          note: 'Key of the authority that signed the root’s certificate, when it is a private one',
          is: 'text',
          example: 'sha256:…',
        },
      },
    },
  },
}

/** A cluster's authorities as clusters exchange them: public keys only, each as base64 of a JSON document. */
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { formatPublicKey, keyType, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { z } from 'zod'
import type { Authorities } from '../authorities/authorities.ts'
import { badParameter } from '../errors.ts'

const types = ['user', 'host', 'cluster'] as const
const publicKeys = z.array(z.object({ public_key: z.base64().max(8192) })).max(16)

const authority = z.object({
  kind: z.literal('cert_authority'),
  sub_kind: z.enum(types),
  version: z.literal('v2'),
  metadata: z.object({ name: z.string().min(1).max(255) }),
  spec: z.object({
    type: z.enum(types),
    cluster_name: z.string().min(1).max(255),
    active_keys: z.object({ ssh: publicKeys.min(1) }),
  }),
})

export interface ClusterAuthorities {
  readonly clusterName: string
  /** Lines of the keys with which the cluster itself signs. */
  readonly clusterKeys: readonly string[]
  /** As they came. */
  readonly encoded: readonly string[]
}

const linesOf = (keys: { trusted: readonly Parameters<typeof formatPublicKey>[0][] }): string[] =>
  keys.trusted.map((key) => formatPublicKey(key))

export function exportAuthorities(authorities: Pick<Authorities, 'userCa' | 'hostCa' | 'clusterKey'>, clusterName: string): string[] {
  const lines = { user: linesOf(authorities.userCa), host: linesOf(authorities.hostCa), cluster: authorities.clusterKey.publicLines }
  return types.map((type) => {
    const ssh = lines[type].map((line) => ({ public_key: Buffer.from(line).toString('base64') }))
    const document: z.input<typeof authority> = {
      kind: 'cert_authority',
      sub_kind: type,
      version: 'v2',
      metadata: { name: clusterName },
      spec: { type, cluster_name: clusterName, active_keys: { ssh } },
    }
    return Buffer.from(JSON.stringify(document)).toString('base64')
  })
}

/** Throws bad parameter. */
export function readAuthorities(encoded: readonly string[]): ClusterAuthorities {
  const read = encoded.map((text) => {
    try {
      return authority.parse(JSON.parse(Buffer.from(text, 'base64').toString('utf8')))
    } catch (cause) {
      throw badParameter('certificate_authorities: they are not those of a cluster of this product', { cause })
    }
  })
  const [first] = read
  const names = new Set(read.map(({ spec }) => spec.cluster_name))
  const own = read.find(({ spec }) => spec.type === 'cluster')
  if (!first || !own || names.size !== 1) throw badParameter('certificate_authorities: they are not those of one cluster of this product')
  return {
    clusterName: first.spec.cluster_name,
    clusterKeys: own.spec.active_keys.ssh.map(({ public_key }) => clusterKey(public_key)),
    encoded,
  }
}

function clusterKey(base64: string): string {
  try {
    const key = parsePublicKey(Buffer.from(base64, 'base64').toString('utf8'))
    if (keyType(key) === 'ssh-ed25519') return formatPublicKey(key)
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause
  }
  throw badParameter('certificate_authorities: a cluster signs with a key of type ed25519')
}

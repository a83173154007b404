/** Keys of hosts that have no certificate of this cluster: the pinned one counts, the first one is pinned where a document says so. */
import type { Audit } from '../audit/audit.ts'
import { AppError } from '../errors.ts'
import type { HostKeyPolicy, PlainHostKey } from '../tunnel/host-keys.ts'
import { hostKeyTypes } from './openssh-node.ts'
import type { OpenSshNode, OpenSshNodeStore } from './openssh-node.ts'

export interface HostKeyJudge {
  /** `type`: that of the pinned key, where it is known; a host with several keys would otherwise show another one. */
  policy(id: string, type: string | undefined): HostKeyPolicy
}

interface JudgeDeps {
  store: Pick<OpenSshNodeStore, 'require' | 'update'>
  audit: Pick<Audit, 'emit'>
}

export function createHostKeyJudge({ store, audit }: JudgeDeps): HostKeyJudge {
  async function whyNot(id: string, shown: PlainHostKey): Promise<string | undefined> {
    const node = await store.require(id)
    const { hostname, addr, host_key: key } = node.spec
    const about = { name: id, hostname, addr, fingerprint: shown.fingerprint }
    if (key?.fingerprint === undefined) {
      if (key?.trust_on_first_use !== true) return 'It showed no certificate of this cluster.'
      await audit.emit('THS02I', about)
      return pin(node, shown)
    }
    if (key.fingerprint === shown.fingerprint) return undefined
    await audit.emit('THS02W', { ...about, expected: key.fingerprint })
    return (
      `Its key has changed: ${hostname} shows ${shown.fingerprint}, where ${key.fingerprint} is expected. ` +
      `Somebody may be in between. If the key was changed on purpose, an administrator writes the new one into node/${id}.`
    )
  }
  /** With the revision that was read: of two first connections at once, the second one meets what the first one pinned. */
  async function pin({ metadata, spec }: OpenSshNode, { type, fingerprint }: PlainHostKey): Promise<string | undefined> {
    const pinned = hostKeyTypes.find((known) => known === type)
    const host_key = { ...spec.host_key, fingerprint, ...(pinned && { type: pinned }) }
    try {
      await store.update({ metadata, spec: { ...spec, host_key } })
      return undefined
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'compare_failed')) throw error
      return whyNot(metadata.name, { type, fingerprint })
    }
  }
  return {
    policy: (id, type) => ({ types: type === undefined ? hostKeyTypes : [type], whyNot: (shown) => whyNot(id, shown) }),
  }
}

/** Join tokens as documents for export and import. Without secrets, a masked name stands for one that the cluster keeps. */
import { badParameter } from '../errors.ts'
import { toResource, writeResource } from '../resources/documents.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import { joinTokenKind, safeNameOf } from './join-token.ts'
import type { JoinToken } from './join-token.ts'
import type { JoinTokens } from './join-tokens.ts'

const shownName = ({ metadata, spec }: JoinToken): string => safeNameOf(metadata.name, spec.join_method)

export function managedJoinTokens(tokens: JoinTokens): ManagedKind {
  /** The whole name that a masked one stands for. */
  async function wholeName(name: string): Promise<string> {
    if (!name.includes('*')) return name
    const [only, ...others] = (await tokens.list()).filter((token) => shownName(token) === name)
    if (only && others.length === 0) return only.metadata.name
    throw badParameter(
      `metadata.name: "${name}" is masked and stands for no token of this cluster; give the whole name, as --with-secrets prints it`,
    )
  }
  return {
    kind: joinTokenKind.kind,
    aliases: [],
    isSecret: true,
    names: async () => (await tokens.list()).map(({ metadata }) => metadata.name),
    async read(name, withSecrets) {
      const token = await tokens.require(await wholeName(name))
      const metadata = { ...token.metadata, name: withSecrets ? token.metadata.name : shownName(token), revision: '' }
      return writeResource(joinTokenKind, { ...token, metadata })
    },
    async apply(document, { force, by }) {
      const name = await wholeName(document.name)
      const metadata =
        typeof document.metadata === 'object' && document.metadata !== null ? { ...document.metadata, name } : document.metadata
      const token = toResource(joinTokenKind, { ...document, metadata })
      const exists = (await tokens.get(name)) !== undefined
      if (exists && !force) throw refuseExisting(joinTokenKind.kind, shownName(token))
      await tokens.put({ ...token, metadata: { ...token.metadata, revision: '' } }, by)
      return exists ? 'replaced' : 'created'
    },
    remove: async (name, by) => tokens.remove(await wholeName(name), by),
  }
}

/** Users and resources over the control socket: what `sallyport get`, `create`, `rm` and `users` ask for. */
import { adminCalls } from '@sallyport/wire/admin.ts'
import type { AdminCall } from '@sallyport/wire/admin.ts'
import type { z } from 'zod'
import type { Context } from '../context.ts'
import { parseDocuments } from '../core/resources/documents.ts'
import type { ResourceDocument } from '../core/resources/documents.ts'
import { AppError, badParameter } from '../core/errors.ts'
import { requireKind } from '../core/resources/managed-kinds.ts'
import type { ManagedKind } from '../core/resources/managed-kinds.ts'
import { authTypeOf } from '../core/users.ts'

export type OnAdminCall = <C extends AdminCall>(
  call: C,
  answer: (body: z.output<C['body']>) => z.input<C['answer']> | Promise<z.input<C['answer']>>,
) => void

export type AdminResourceContext = Pick<Context, 'accounts' | 'accountStates' | 'users' | 'managedKinds'>

export function serveResources(on: OnAdminCall, { accounts, accountStates, users, managedKinds }: AdminResourceContext, by: string): void {
  on(adminCalls.listUsers, async () => {
    const stateOf = await accountStates.read()
    return (await users.list()).map((user) => ({
      name: user.metadata.name,
      roles: user.spec.roles,
      authType: authTypeOf(user),
      state: stateOf(user).state,
    }))
  })
  on(adminCalls.updateUser, async ({ name, roles, logins }) => {
    await accounts.change(
      name,
      ({ spec, ...user }) => ({
        ...user,
        spec: { ...spec, ...(roles && { roles }), traits: { ...spec.traits, ...(logins && { logins }) } },
      }),
      by,
    )
    return {}
  })
  on(adminCalls.readResources, async ({ kind: word, name, withSecrets }) => {
    const all = word === 'all'
    if (all && name !== undefined) throw badParameter('all: name a kind, such as role/access')
    const documents = []
    const kinds = all
      ? managedKinds.filter(({ isBound = false, isSecret = false }) => !isBound && (withSecrets || !isSecret))
      : [requireKind(managedKinds, word)]
    for (const kind of kinds)
      for (const one of name === undefined ? await kind.names() : [name])
        documents.push({ kind: kind.kind, name: one, content: await kind.read(one, withSecrets) })
    return { documents }
  })
  on(adminCalls.saveResources, async ({ parts, force }) => {
    const documents = inOrder(managedKinds, readAll(parts))
    if (documents.length === 0) throw badParameter('there is no document in it')
    const saved = []
    for (const { kind, document } of documents) {
      const { name } = document
      const outcome = await kind.apply(document, { force, by }).catch((error: unknown) => {
        throw withPlace(error, `${kind.kind}/${name}: `, saved.length)
      })
      saved.push({ kind: kind.kind, name, outcome })
    }
    return { saved }
  })
  on(adminCalls.removeResource, async ({ kind: word, name }) => {
    const kind = requireKind(managedKinds, word)
    await kind.remove(name, by)
    return { kind: kind.kind, name }
  })
}

function readAll(parts: readonly string[]): ResourceDocument[] {
  const documents: ResourceDocument[] = []
  for (const part of parts) {
    try {
      documents.push(...parseDocuments(part))
    } catch (error) {
      throw parts.length === 1 ? error : withPlace(error, `document ${documents.length + 1} or one soon after it: `, 0)
    }
  }
  return documents
}

/** Kinds that others name are saved first, whatever their order in the file. */
function inOrder(
  kinds: readonly ManagedKind[],
  documents: readonly ResourceDocument[],
): { kind: ManagedKind; document: ResourceDocument }[] {
  return documents
    .map((document) => ({ kind: requireKind(kinds, document.kind), document }))
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
}

/** Says which document it was, and how many were saved before it. */
function withPlace(error: unknown, place: string, saved: number): unknown {
  if (!(error instanceof AppError)) return error
  const before = saved === 0 ? '' : ` (saved before it: ${saved})`
  return new AppError(error.code, `${place}${error.message}${before}`, { cause: error })
}

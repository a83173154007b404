/** Connectors of one kind as documents. */
import type { createOidc, listOidc, removeOidc, updateOidc } from '@sallyport/wire/calls/connectors.ts'
import { ok } from '@sallyport/wire/call.ts'
import { maskedSecret } from '@sallyport/wire/entities/connector.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { allowsEither } from '../../core/access/rules.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import type { ConnectorKind, ConnectorStore } from '../../core/connectors/connector-store.ts'
import type { DefaultConnectors } from '../../core/connectors/default-connector.ts'
import type { ConnectorType } from '../../core/connectors/connectors.ts'
import { readResource, requireSameName, toResourceItem } from '../../core/resources/documents.ts'
import { alreadyExists, missingPermission } from '../../core/errors.ts'
import type { Resource } from '../../core/resources/resources.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

/** The calls of all kinds have the same shapes. */
export interface DocumentCalls {
  list: typeof listOidc
  create: typeof createOidc
  update: typeof updateOidc
  remove: typeof removeOidc
}

export interface DocumentDeps<Spec, Input> extends Pick<ConnectorKind<Spec, Input>, 'definition' | 'mapSecrets'> {
  type: ConnectorType
  calls: DocumentCalls
  codes: { saved: AuditCode; removed: AuditCode }
  store: ConnectorStore<Spec, Input>
  defaults: Pick<DefaultConnectors, 'repair' | 'requireAnother'>
  audit: Pick<Audit, 'emit'>
}

export function documentRoutes<Spec, Input>({
  type,
  definition,
  mapSecrets,
  calls,
  codes,
  store,
  defaults,
  audit,
}: DocumentDeps<Spec, Input>): Route[] {
  const may = (caller: Caller, verb: 'read' | 'readnosecrets'): boolean => allowsEither(caller.access, type, 'auth_connector', verb)
  /** That there is a secret is part of what `read` shows. */
  const shown = (connector: Resource<Spec>, caller: Caller): Resource<Spec> =>
    may(caller, 'read') ? connector : { ...connector, spec: mapSecrets(connector.spec, (value) => (value === maskedSecret ? '' : value)) }
  const announce = (code: AuditCode, name: string, expires: string | null, caller: Caller) =>
    audit.emit(code, { user: caller.username, name, ...(expires === null ? {} : { expires }) })

  return [
    on(calls.list, async ({ caller }) => {
      if (!may(caller, 'read') && !may(caller, 'readnosecrets')) throw missingPermission('read', type)
      return (await store.list()).map((connector) => toResourceItem(definition, shown(connector, caller)))
    }),
    on(calls.create, async ({ body, caller }) => {
      const draft = await store.draft(store.inputOf(readResource(definition, body.content)))
      const { name, expires } = draft.metadata
      if (await store.get(name)) throw alreadyExists(definition.existsText(name))
      await announce(codes.saved, name, expires, caller)
      return toResourceItem(definition, await store.create(store.inputOf(draft)))
    }),
    on(calls.update, async ({ params, body, caller }) => {
      await store.require(params.name)
      const read = readResource(definition, body.content)
      requireSameName(params.name, read.metadata.name)
      const draft = await store.draft(store.inputOf(read))
      await announce(codes.saved, params.name, draft.metadata.expires, caller)
      return toResourceItem(definition, await store.update(store.inputOf(draft)))
    }),
    on(calls.remove, async ({ params, caller }) => {
      const { metadata } = await store.require(params.name)
      await defaults.requireAnother()
      await announce(codes.removed, metadata.name, null, caller)
      await store.delete(metadata.name)
      await defaults.repair(caller.username)
      return ok
    }),
  ]
}

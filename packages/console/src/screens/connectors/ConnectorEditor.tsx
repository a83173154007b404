import { useQuery, useQueryClient } from '@tanstack/react-query'
import { list as listRoles } from '@sallyport/wire/calls/roles.ts'
import { request } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { DocumentEditor, useUnsaved } from '../../parts/document-editor/DocumentEditor.tsx'
import { pathsOutside } from '../../parts/document-editor/form.ts'
import { SaveDialogs } from '../../parts/document-editor/SaveDialogs.tsx'
import { useDocument, withRefusals } from '../../parts/document-editor/use-document.ts'
import { useSaving } from '../../parts/document-editor/use-saving.ts'
import { withoutRevision } from '../../parts/documents/revision.ts'
import { keysAt, textAt } from '../../parts/documents/yaml-text.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { toasts } from '../../ui/toast.ts'
import { commonFields, connectorShapes, templateOf } from './connector-documents.ts'
import { ConnectorForm } from './ConnectorForm.tsx'
import { ConnectorRail } from './ConnectorRail.tsx'
import { kindCalls, kindWords } from './kinds.ts'
import type { Kind } from './kinds.ts'
import type { Connector } from './use-connectors.ts'

export interface ConnectorEditorProps {
  kind: Kind
  /** Undefined for a new one. */
  connector: Connector | undefined
  others: readonly Connector[]
  onClose: () => void
}

/** A connector as form and text, with what the provider has to be told and a sign-in to try it. */
export function ConnectorEditor({ kind, connector, others, onClose }: ConnectorEditorProps) {
  const { acl } = useUserContext()
  const client = useQueryClient()
  const calls = kindCalls[kind]
  const name = connector?.item.name
  const state = useDocument({
    saved: withoutRevision(connector?.item.content ?? ''),
    template: templateOf(kind, window.location.origin),
    shape: connectorShapes[kind],
    name,
  })
  const block = useUnsaved(state.dirty, 'connector')
  const typedName = textAt(state.document, ['metadata', 'name'])
  const saving = useSaving({
    text: state.text,
    saved: state.saved,
    write: async (content) => {
      const item = await (name === undefined
        ? request(calls.create, { body: { content } })
        : request(calls.update, { params: { name }, body: { content } }))
      return withoutRevision(item.content)
    },
    readLatest: async () => withoutRevision((await request(calls.list)).find((item) => item.name === name)?.content ?? ''),
    onSaved: () => {
      void client.invalidateQueries({ queryKey: [calls.list.id] })
      toasts.show({ title: `Connector ${typedName} saved` })
      block.leave(onClose)
    },
  })
  const shown = withRefusals(state, [saving.refusal])
  const roles = useQuery({ ...callQuery(listRoles), enabled: acl.roles.list && acl.roles.read })
  const title = name ?? (typedName || `New ${kindWords[kind].title} connector`)
  const mappings = ['spec', kindWords[kind].mappings.field]
  const shownPaths = [
    ['kind'],
    ['version'],
    ['metadata', 'name'],
    ...commonFields[kind].map(({ path }) => path),
    ...keysAt(state.document, mappings).flatMap((index) =>
      [...kindWords[kind].mappings.parts.map((part) => part.name), 'roles'].map((part) => [...mappings, index, part]),
    ),
  ]
  const failed = saving.refusal?.text === state.text ? saving.refusal.error : undefined
  return (
    <>
      <DocumentEditor
        title={title}
        thing="connector"
        note={connector?.isDefault ? `${kindWords[kind].title}, default` : kindWords[kind].title}
        shape={connectorShapes[kind]}
        state={shown}
        readOnly={!(acl.authConnectors.edit && acl.authConnectors.create)}
        form={
          <ConnectorForm
            kind={kind}
            isNew={name === undefined}
            taken={name === undefined ? others.filter((one) => one.kind === kind).map(({ item }) => item.name) : []}
            roles={roles.data?.map((role) => role.name)}
          />
        }
        outside={pathsOutside(state, shownPaths)}
        rail={{ title: 'Provider and test', short: 'Set up and test', content: <ConnectorRail kind={kind} state={state} /> }}
        busy={saving.busy}
        error={
          failed && (
            <Alert kind="danger" title="Could not save the connector.">
              {failed.message}
            </Alert>
          )
        }
        onSave={saving.begin}
        onClose={onClose}
      />
      <SaveDialogs saving={saving} state={state} thing="connector" title={title} />
    </>
  )
}

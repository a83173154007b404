import { useQuery, useQueryClient } from '@tanstack/react-query'
import { create, effect, list, read, update } from '@sallyport/wire/calls/roles.ts'
import { request } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { pathsOutside } from '../../parts/document-editor/form.ts'
import { DocumentEditor, useUnsaved } from '../../parts/document-editor/DocumentEditor.tsx'
import { SaveDialogs } from '../../parts/document-editor/SaveDialogs.tsx'
import { useDocument, withRefusals } from '../../parts/document-editor/use-document.ts'
import { useSaving } from '../../parts/document-editor/use-saving.ts'
import { useSettled } from '../../parts/document-editor/use-settled.ts'
import { withoutRevision } from '../../parts/documents/revision.ts'
import { newRole, roleShape } from '../../parts/documents/role-shape.ts'
import { keysAt, setAt, textAt } from '../../parts/documents/yaml-text.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { toasts } from '../../ui/toast.ts'
import { EffectRail, effectWords } from './EffectRail.tsx'
import { shownPaths } from './role-form.ts'
import { RoleForm } from './RoleForm.tsx'
import type { RoleRow } from './use-roles.ts'

export interface RoleEditorProps {
  /** The role to edit; empty for a new one. */
  name: string
  /** The role that a new one is a copy of. */
  from: string | undefined
  rows: readonly RoleRow[]
  onClose: (outcome?: 'saved') => void
}

/** A role as form and text, with who gains and loses by it before it is saved. */
export function RoleEditor({ name, from, rows, onClose }: RoleEditorProps) {
  const row = rows.find(({ role }) => role.name === name)
  if (name !== '' && !row) return <Gone name={name} onClose={onClose} />
  const origin = rows.find(({ role }) => role.name === from)
  return <Editor row={row} origin={origin} rows={rows} onClose={onClose} />
}

function Editor({
  row,
  origin,
  rows,
  onClose,
}: {
  row: RoleRow | undefined
  origin: RoleRow | undefined
  rows: readonly RoleRow[]
  onClose: (outcome?: 'saved') => void
}) {
  const { acl } = useUserContext()
  const client = useQueryClient()
  const name = row?.role.name
  const state = useDocument({
    saved: withoutRevision(row?.role.content ?? ''),
    template: origin ? copyOf(origin.role.content) : newRole,
    shape: roleShape,
    name,
  })
  const block = useUnsaved(state.dirty, 'role')
  const saving = useSaving({
    text: state.text,
    saved: state.saved,
    write: async (content) => {
      const item =
        name === undefined ? await request(create, { body: { content } }) : await request(update, { params: { name }, body: { content } })
      return withoutRevision(item.content)
    },
    readLatest: async () => withoutRevision((await request(read, { params: { name: name ?? '' } })).content),
    onSaved: () => {
      void client.invalidateQueries({ queryKey: [list.id] })
      toasts.show({ title: `Role ${textAt(state.document, ['metadata', 'name'])} saved` })
      block.leave(() => onClose('saved'))
    },
  })
  const settled = useSettled(state.text, 600)
  const asked = state.parses && textAt(state.document, ['metadata', 'name']) !== ''
  const preview = useQuery({
    ...callQuery(effect, { body: { content: settled } }),
    enabled: asked && settled === state.text,
    placeholderData: (before) => before,
    gcTime: 60_000,
  })
  // A refusal of the check is shown like one of a save.
  const shown = withRefusals(state, [saving.refusal, preview.error ? { error: preview.error, text: settled } : undefined])
  const title = name ?? (textAt(state.document, ['metadata', 'name']) || (origin ? `Copy of ${origin.role.name}` : 'New role'))
  const readOnly = !(acl.roles.edit && acl.roles.create)
  const rulePaths = (['allow', 'deny'] as const).flatMap((side) =>
    keysAt(state.document, ['spec', side, 'rules']).flatMap((index) =>
      ['resources', 'verbs', 'where'].map((part) => ['spec', side, 'rules', index, part]),
    ),
  )
  const failed = saving.refusal?.text === state.text ? saving.refusal.error : undefined
  return (
    <>
      <DocumentEditor
        title={title}
        thing="role"
        note={row?.preset === undefined ? undefined : 'Preset'}
        shape={roleShape}
        state={shown}
        readOnly={readOnly}
        form={
          <RoleForm
            state={shown}
            readOnly={readOnly}
            preset={row?.preset === undefined ? undefined : withoutRevision(row.preset).text}
            isNew={name === undefined}
            taken={name === undefined ? rows.map(({ role }) => role.name) : []}
          />
        }
        outside={pathsOutside(state, [...shownPaths, ...rulePaths])}
        rail={{
          title: 'Who gains or loses',
          short: 'Preview',
          end: preview.data && `${preview.data.holders} ${preview.data.holders === 1 ? 'person holds' : 'people hold'} it`,
          content: (
            <EffectRail document={state.document} effect={preview.data} error={preview.error} asked={asked} waiting={preview.isFetching} />
          ),
        }}
        busy={saving.busy}
        error={
          failed && (
            <Alert kind="danger" title="Could not save the role.">
              {failed.message}
            </Alert>
          )
        }
        onSave={saving.begin}
        validate={{
          busy: preview.isFetching,
          valid: preview.isSuccess && settled === state.text && !preview.isPlaceholderData,
          run: () => void preview.refetch(),
        }}
        onClose={() => onClose()}
      />
      <SaveDialogs
        saving={saving}
        state={state}
        thing="role"
        title={title}
        summary={preview.data && <p className="t2">{effectWords(preview.data)}</p>}
      />
    </>
  )
}

/** The document of a copy: another name to be given, nothing of the preset's own labels. */
function copyOf(content: string): string {
  const { text } = withoutRevision(content)
  return setAt(setAt(text, ['metadata', 'name'], ''), ['metadata', 'labels'], undefined)
}

function Gone({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <Dialog open width={400} title={`There is no role ${name}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <p className="t2">It was deleted, or the address names another cluster's role.</p>
    </Dialog>
  )
}

import { list, saveYaml } from '@sallyport/wire/calls/tokens.ts'
import { request } from '../../api/page.ts'
import { useUnsaved } from '../../parts/document-editor/DocumentEditor.tsx'
import { SaveDialogs } from '../../parts/document-editor/SaveDialogs.tsx'
import { useDocument, withRefusals } from '../../parts/document-editor/use-document.ts'
import { useSaving } from '../../parts/document-editor/use-saving.ts'
import { withoutRevision } from '../../parts/documents/revision.ts'
import { textAt } from '../../parts/documents/yaml-text.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { YamlEditor } from '../../parts/yaml-editor/YamlEditor.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { EditorColumn, EditorPanel } from '../../ui/EditorPanel.tsx'
import { toasts } from '../../ui/toast.ts'
import { templateOf, tokenShape } from './token-document.ts'
import { refreshTokens } from './use-tokens.ts'
import type { TokenRow } from './use-tokens.ts'
import styles from './Tokens.module.css'

/** A token to look at or change, or what a new one starts from. */
export type Edited = { row: TokenRow } | { method: string; roles: readonly string[] }

/** A token as text. */
export function TokenEditor({ edited, onClose }: { edited: Edited; onClose: () => void }) {
  const { acl } = useUserContext()
  const row = 'row' in edited ? edited.row : undefined
  const id = row?.token.id
  const readOnly = !(acl.tokens.create && acl.tokens.edit) || row?.token.isStatic === true
  const state = useDocument({
    saved: withoutRevision(row?.token.content ?? ''),
    template: 'row' in edited ? '' : templateOf(edited.method, edited.roles),
    shape: tokenShape,
    name: id,
  })
  const block = useUnsaved(state.dirty, 'token')
  const saving = useSaving({
    text: state.text,
    saved: state.saved,
    write: async (content) => withoutRevision((await request(saveYaml, { body: { content } })).content),
    readLatest: async () => withoutRevision((await request(list)).items.find((item) => item.id === id)?.content ?? ''),
    onSaved: () => {
      void refreshTokens()
      toasts.show({ title: 'Token saved' })
      block.leave(onClose)
    },
  })
  const shown = withRefusals(state, [saving.refusal])
  const title = row ? `Token ${row.name}` : 'New token'
  const reason = !state.parses
    ? 'Fix the YAML first'
    : textAt(state.document, ['metadata', 'name']) === ''
      ? 'Enter a name first'
      : row && !state.dirty
        ? 'Nothing changed yet'
        : undefined
  const save = () => !readOnly && reason === undefined && !saving.busy && saving.begin()
  const close = (): void => {
    if (!state.dirty) return onClose()
    confirm({
      title: row ? `Discard changes to token ${row.name}?` : 'Discard the new token?',
      body: 'What you entered is lost.',
      action: 'Discard',
      run: () => block.leave(onClose),
    })
  }
  const failed = saving.refusal?.text === state.text ? saving.refusal.error : undefined
  return (
    <>
      <EditorPanel
        title={title}
        note={readOnly ? 'Read only' : row ? (state.dirty ? 'Edited, not saved' : 'Saved') : 'New, not saved'}
        onClose={close}
        actions={
          !readOnly && (
            <Button kind="primary" busy={saving.busy} disabledReason={reason} onClick={save}>
              Save token
            </Button>
          )
        }
      >
        <EditorColumn label="YAML" ground="code" flush>
          {failed && (
            <div className={styles['failed']}>
              <Alert kind="danger" title="Could not save the token.">
                {failed.message}
              </Alert>
            </div>
          )}
          <YamlEditor
            text={state.text}
            saved={state.saved.text}
            label="YAML of the token"
            readOnly={readOnly}
            shape={tokenShape}
            problems={shown.problems}
            onText={state.setText}
            onSave={save}
            onFormat={state.format}
          />
        </EditorColumn>
      </EditorPanel>
      <SaveDialogs saving={saving} state={state} thing="token" title={row?.name ?? ''} />
    </>
  )
}

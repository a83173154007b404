import { create, list, update } from '@sallyport/wire/calls/trusted-clusters.ts'
import { trustedClusterTemplate } from '@sallyport/wire/entities/trusted-cluster.ts'
import { request } from '../../api/page.ts'
import { useUnsaved } from '../../parts/document-editor/DocumentEditor.tsx'
import { SaveDialogs } from '../../parts/document-editor/SaveDialogs.tsx'
import { useDocument, withRefusals } from '../../parts/document-editor/use-document.ts'
import { useSaving } from '../../parts/document-editor/use-saving.ts'
import { withoutRevision } from '../../parts/documents/revision.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { YamlEditor } from '../../parts/yaml-editor/YamlEditor.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { EditorColumn, EditorPanel } from '../../ui/EditorPanel.tsx'
import { toasts } from '../../ui/toast.ts'
import { trustShape } from './trust-document.ts'
import { refreshTrust } from './use-trust.ts'
import type { TrustedRoot } from './use-trust.ts'
import styles from './Trust.module.css'

/** The trust in a root as text; without one, a new trust. */
export function TrustEditor({ root, onClose }: { root: TrustedRoot | undefined; onClose: () => void }) {
  const { acl } = useUserContext()
  const readOnly = !(acl.trustedClusters.create && acl.trustedClusters.edit)
  const name = root?.item.name
  const state = useDocument({
    saved: withoutRevision(root?.item.content ?? ''),
    template: root ? '' : trustedClusterTemplate,
    shape: trustShape,
    name,
  })
  const block = useUnsaved(state.dirty, 'trusted cluster')
  const saving = useSaving({
    text: state.text,
    saved: state.saved,
    write: async (content) => {
      const item = await (name === undefined
        ? request(create, { body: { content } })
        : request(update, { params: { name }, body: { content } }))
      return withoutRevision(item.content)
    },
    readLatest: async () => withoutRevision((await request(list)).find((item) => item.name === name)?.content ?? ''),
    onSaved: () => {
      void refreshTrust()
      toasts.show({ title: name === undefined ? 'Connected to the root cluster' : `Trust with ${name} saved` })
      block.leave(onClose)
    },
  })
  const shown = withRefusals(state, [saving.refusal])
  const reason = !state.parses ? 'Fix the YAML first' : root && !state.dirty ? 'Nothing changed yet' : undefined
  const save = () => !readOnly && reason === undefined && !saving.busy && saving.begin()
  const close = (): void => {
    if (!state.dirty) return onClose()
    confirm({
      title: root ? `Discard changes to ${name}?` : 'Discard the new trust?',
      body: 'What you entered is lost.',
      action: 'Discard',
      run: () => block.leave(onClose),
    })
  }
  const failed = saving.refusal?.text === state.text ? saving.refusal.error : undefined
  return (
    <>
      <EditorPanel
        title={name ?? 'Connect to root cluster'}
        note={
          readOnly
            ? 'Read only'
            : root
              ? 'role_map and enabled can be changed'
              : 'Paste the document that the root printed, or fill this one in'
        }
        onClose={close}
        actions={
          !readOnly && (
            <Button kind="primary" busy={saving.busy} disabledReason={reason} onClick={save}>
              {root ? 'Save' : 'Connect'}
            </Button>
          )
        }
      >
        <EditorColumn label="YAML" ground="code" flush>
          {failed && (
            <div className={styles['failed']}>
              <Alert kind="danger" title={root ? 'Could not save it.' : 'Could not connect.'}>
                {failed.message}
              </Alert>
            </div>
          )}
          <YamlEditor
            text={state.text}
            saved={state.saved.text}
            label="YAML of the trusted cluster"
            readOnly={readOnly}
            shape={trustShape}
            problems={shown.problems}
            onText={state.setText}
            onSave={save}
            onFormat={state.format}
          />
        </EditorColumn>
      </EditorPanel>
      <SaveDialogs saving={saving} state={state} thing="trusted cluster" title={name ?? ''} />
    </>
  )
}

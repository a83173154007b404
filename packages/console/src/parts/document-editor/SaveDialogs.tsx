import { useState } from 'react'
import type { ReactNode } from 'react'
import { YamlDiff } from '../yaml-editor/YamlDiff.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import type { DocumentState } from './use-document.ts'
import type { Saving } from './use-saving.ts'

/** What saving asks: a look at the changes, and what to do about somebody else's. */
export function SaveDialogs({ saving, state, thing, title, summary }: SaveDialogsProps) {
  if (saving.conflict) return <Conflict saving={saving} state={state} thing={thing} title={title} />
  if (!saving.reviewing) return null
  return (
    <Dialog
      open
      width={700}
      title={`Save ${thing} ${title}?`}
      busy={saving.busy}
      onClose={saving.cancel}
      footer={
        <>
          <Button kind="primary" busy={saving.busy} onClick={saving.confirm}>
            Save {thing}
          </Button>
          <Button disabled={saving.busy} onClick={saving.cancel}>
            Keep editing
          </Button>
        </>
      }
    >
      {summary}
      <YamlDiff before={state.saved.text} after={state.text} label={`Changes to ${thing} ${title}`} />
    </Dialog>
  )
}

export interface SaveDialogsProps {
  saving: Saving
  state: DocumentState
  thing: string
  title: string
  /** What the change does, in words. */
  summary?: ReactNode
}

function Conflict({ saving, state, thing, title }: Omit<SaveDialogsProps, 'summary'>) {
  const [comparing, setComparing] = useState(false)
  const { conflict } = saving
  if (!conflict) return null
  return (
    <Dialog
      open
      alert
      width={comparing ? 700 : 484}
      title={`This ${thing} changed on the server`}
      busy={saving.busy}
      onClose={saving.cancel}
      footer={
        <>
          <Button
            kind="primary"
            disabled={saving.busy}
            onClick={() => {
              state.setSaved(conflict)
              saving.cancel()
            }}
          >
            Reload
          </Button>
          <Button kind="danger-quiet" busy={saving.busy} onClick={saving.overwrite}>
            Overwrite
          </Button>
          {!comparing && <Button onClick={() => setComparing(true)}>Compare</Button>}
          <Button kind="quiet" onClick={saving.cancel}>
            Keep editing
          </Button>
        </>
      }
    >
      <p className="t2">
        Somebody saved another version of {title} while you were editing. Reload drops your changes, overwrite drops theirs.
      </p>
      {comparing && <p className="sm t2">Red lines are theirs, green ones yours.</p>}
      {comparing && <YamlDiff before={conflict.text} after={state.text} label="Their version against yours" />}
    </Dialog>
  )
}

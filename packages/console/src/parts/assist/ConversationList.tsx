import { Ellipsis, Plus } from 'lucide-react'
import { useState } from 'react'
import { chatTitleLimit } from '@sallyport/wire/limits.ts'
import { ActionForm } from '../ActionForm.tsx'
import { ListError } from '../list/ListError.tsx'
import { useAction } from '../use-action.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { relativeWords } from '../../ui/dates.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { useNow } from '../../ui/use-now.ts'
import { askToDelete, renameConversation, titleOf, useConversations } from './use-conversations.ts'
import type { Conversation } from './use-conversations.ts'
import styles from './Assist.module.css'

export interface ConversationListProps {
  current: string | undefined
  /** Undefined: none, as for a new one. */
  onOpen: (id: string | undefined) => void
}

/** What was talked about before, newest first. */
export function ConversationList({ current, onOpen }: ConversationListProps) {
  const { query, conversations } = useConversations()
  const [wanted, setWanted] = useState('')
  const [renaming, setRenaming] = useState<Conversation>()
  const now = useNow(60_000)
  const shown = conversations?.filter((one) => titleOf(one).toLowerCase().includes(wanted.trim().toLowerCase()))
  return (
    <nav className={styles['history']} aria-label="Conversations">
      <Button wide icon={Plus} onClick={() => onOpen(undefined)}>
        New conversation
      </Button>
      {(conversations?.length ?? 0) > 5 && <SearchField label="Search conversations" value={wanted} onValue={setWanted} />}
      {query.error && <ListError error={query.error} things="conversations" rule="assistant: list" onRetry={() => void query.refetch()} />}
      {conversations?.length === 0 && (
        <div className={styles['none']}>
          <p className="strong">No conversations yet</p>
          <p className="muted sm">Ask about your infrastructure or prepare a command.</p>
        </div>
      )}
      {shown?.length === 0 && (conversations?.length ?? 0) > 0 && <p className="muted sm">Nothing matches.</p>}
      <ul className={styles['items']}>
        {shown?.map((one) => (
          <li key={one.id} className={cx(styles['item'], one.id === current && styles['on'])}>
            <button type="button" {...(one.id === current && { 'aria-current': 'true' as const })} onClick={() => onOpen(one.id)}>
              <span className="trunc">{titleOf(one)}</span>
              {one.created && <span className="muted sm">{relativeWords(one.created, now)}</span>}
            </button>
            <Menu
              label={`Actions for ${titleOf(one)}`}
              trigger={<IconButton icon={Ellipsis} size={24} label={`Actions for ${titleOf(one)}`} />}
              entries={[
                { label: 'Rename', run: () => setRenaming(one) },
                { label: 'Delete…', danger: true, run: () => askToDelete(one, () => one.id === current && onOpen(undefined)) },
              ]}
            />
          </li>
        ))}
      </ul>
      {renaming && <Rename key={renaming.id} conversation={renaming} onClose={() => setRenaming(undefined)} />}
    </nav>
  )
}

function Rename({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const [title, setTitle] = useState(conversation.title)
  const save = useAction(async () => {
    await renameConversation(conversation.id, title.trim())
    onClose()
  })
  return (
    <Dialog open bare title="Rename conversation" width={400} onClose={onClose} busy={save.busy}>
      <ActionForm
        submit="Rename"
        disabled={title.trim() === ''}
        action={save}
        failure="Could not rename it."
        onSubmit={() => save.start()}
        onClose={onClose}
      >
        <TextField label="Title" value={title} maxLength={chatTitleLimit} onChange={(event) => setTitle(event.target.value)} />
      </ActionForm>
    </Dialog>
  )
}

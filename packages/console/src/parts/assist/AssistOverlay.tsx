import { Check, History, Maximize2, PanelTop, Plus, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { storageKeys } from '@sallyport/wire/limits.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { AssistView } from './AssistView.tsx'
import { ConversationList } from './ConversationList.tsx'
import { titleOf, useConversations } from './use-conversations.ts'
import { readStored, writeStored } from '../list/use-setting.ts'
import { pushPath } from '../navigation.ts'
import { useUserContext } from '../user-context.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import styles from './Overlay.module.css'

const modes = [
  { value: 'popup', label: 'Popup' },
  { value: 'expanded', label: 'Expanded' },
  { value: 'expanded_history', label: 'Expanded with history' },
  { value: 'docked', label: 'Docked at the right' },
] as const
type Mode = (typeof modes)[number]['value']

/** The assistant beside the screen that is there, in the size that the viewer likes. */
export function AssistOverlay({ onClose }: { onClose: () => void }) {
  const { cluster } = useUserContext()
  const { conversations } = useConversations()
  const [mode, setMode] = useState<Mode>(
    () => modes.find(({ value }) => value === readStored(storageKeys.assistViewMode))?.value ?? 'popup',
  )
  const [conversationId, setConversation] = useState<string>()
  const [isListing, setListing] = useState(false)
  const choose = (next: Mode) => {
    writeStored(storageKeys.assistViewMode, next)
    setMode(next)
  }
  useEffect(() => {
    document.documentElement.toggleAttribute('data-assist-docked', mode === 'docked')
    return () => document.documentElement.removeAttribute('data-assist-docked')
  }, [mode])
  const open = (id: string | undefined) => {
    setListing(false)
    setConversation(id)
  }
  const withHistory = mode === 'expanded_history'
  const list = <ConversationList current={conversationId} onOpen={open} />
  const title = conversationId === undefined ? 'Assist' : titleOf(conversations?.find(({ id }) => id === conversationId))
  return (
    <aside className={cx(styles['overlay'], styles[mode])} aria-label="Assist">
      <header className={styles['bar']}>
        {!withHistory && (
          <IconButton icon={History} size={24} label="Conversations" pressed={isListing} onClick={() => setListing(!isListing)} />
        )}
        <h2 className="trunc">{title}</h2>
        <span className="grow" />
        <IconButton icon={Plus} size={24} label="New conversation" onClick={() => open(undefined)} />
        <IconButton
          icon={Maximize2}
          size={24}
          label="Open as page"
          onClick={() => pushPath(routePath('assist', conversationId === undefined ? {} : { conversationId }))}
        />
        <Menu
          label="View"
          fixed
          trigger={<IconButton icon={PanelTop} size={24} label="View" />}
          entries={modes.map(({ value, label }) => ({
            label,
            run: () => choose(value),
            ...(value === mode && { end: <Icon of={Check} /> }),
          }))}
        />
        <IconButton icon={X} size={24} label="Hide" onClick={onClose} />
      </header>
      <div className={styles['body']}>
        {withHistory && <div className={styles['side']}>{list}</div>}
        {isListing && !withHistory ? list : <AssistView clusterId={cluster.clusterId} conversationId={conversationId} onOpen={open} />}
      </div>
    </aside>
  )
}

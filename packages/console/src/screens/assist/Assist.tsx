import { History, Plus } from 'lucide-react'
import { useState } from 'react'
import { routePath } from '@sallyport/wire/routes.ts'
import { AssistView } from '../../parts/assist/AssistView.tsx'
import { ConversationList } from '../../parts/assist/ConversationList.tsx'
import { titleOf, useConversations } from '../../parts/assist/use-conversations.ts'
import { pushPath } from '../../parts/navigation.ts'
import { useRouteParams } from '../../parts/use-route.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { PageHead } from '../../ui/PageHead.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { media, useMedia } from '../../ui/use-media.ts'
import styles from './Assist.module.css'

/** The assistant as a page: conversations at the left, one of them beside. */
export function Assist() {
  const { conversationId } = useRouteParams('assist')
  const { cluster } = useUserContext()
  const wide = useMedia(media.wide)
  const [isListOpen, setListOpen] = useState(false)
  const { conversations } = useConversations()
  const open = (id: string | undefined) => {
    setListOpen(false)
    pushPath(routePath('assist', id === undefined ? {} : { conversationId: id }))
  }
  const list = <ConversationList current={conversationId} onOpen={open} />
  const title = conversationId === undefined ? 'Assist' : titleOf(conversations?.find(({ id }) => id === conversationId))
  return (
    <div className={styles['page']}>
      <PageHead title={title}>
        {!wide && (
          <>
            <IconButton icon={History} label="Conversations" onClick={() => setListOpen(true)} />
            <IconButton icon={Plus} label="New conversation" onClick={() => open(undefined)} />
          </>
        )}
      </PageHead>
      <div className={styles['body']}>
        {wide ? (
          <div className={styles['side']}>{list}</div>
        ) : (
          <SidePanel open={isListOpen} onClose={() => setListOpen(false)} title="Conversations" width={360}>
            {list}
          </SidePanel>
        )}
        <AssistView clusterId={cluster.clusterId} conversationId={conversationId} onOpen={open} />
      </div>
    </div>
  )
}

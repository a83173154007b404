import { ArrowDown } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { ListError } from '../list/ListError.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { formatDate } from '../../ui/dates.ts'
import { Spinner } from '../../ui/Spinner.tsx'
import { useStore } from '../../ui/store.ts'
import { Chat } from './chat.ts'
import type { Entry } from './entries.ts'
import { Markdown } from './Markdown.tsx'
import { ProposalCard } from './ProposalCard.tsx'
import { QuestionField } from './QuestionField.tsx'
import { LiveRun, PastRun } from './RunResults.tsx'
import { giveTitle, useConversations } from './use-conversations.ts'
import styles from './Assist.module.css'

/** Who is further up than this reads, and is not moved (px). */
const atEnd = 50

export interface ConversationProps {
  clusterId: string
  conversationId: string
  /** What it begins with. */
  question: string | undefined
  onAsked: () => void
}

/** What was said, and what is being said. */
export function Conversation({ clusterId, conversationId, question, onAsked }: ConversationProps) {
  const chat = useMemo(() => new Chat(clusterId, conversationId), [clusterId, conversationId])
  const first = useRef(question)
  useEffect(() => {
    void chat.open(first.current)
    if (first.current !== undefined) onAsked()
    first.current = undefined
    return () => chat.close()
  }, [chat, onAsked])
  const state = useStore(chat.state)
  const { phase, entries, partial, progress, error } = state
  useTitle(conversationId, entries, phase)
  const isBusy = phase === 'answering'
  const last = questionsOf(entries).at(-1)
  if (phase === 'failed' && error)
    return <ListError error={error} things="conversation" rule="assistant: read" onRetry={() => chat.retry()} />
  return (
    <div className={styles['conversation']}>
      <Scrolled count={entries.length} length={partial.length}>
        <ol className={styles['entries']} aria-label="Messages">
          {entries.map((entry) => (
            <EntryView key={entry.id} entry={entry} clusterId={clusterId} chat={chat} />
          ))}
          {partial !== '' && (
            <Message by="Assist">
              <Markdown text={partial} />
            </Message>
          )}
          {(isBusy || phase === 'loading') && partial === '' && (
            <li className={styles['waiting']}>
              <Spinner label={phase === 'loading' ? 'Loading' : progress || 'Thinking'} showLabel />
            </li>
          )}
        </ol>
      </Scrolled>
      {phase === 'lost' && (
        <Alert
          kind="warn"
          title="The connection to the assistant was lost."
          action={
            <Button size={24} onClick={() => chat.retry()}>
              Retry
            </Button>
          }
        />
      )}
      <p className="sr" role="status">
        {isBusy ? 'The assistant is answering' : ''}
      </p>
      <QuestionField
        focus
        busy={isBusy}
        last={last}
        disabledReason={phase === 'loading' ? 'The conversation is loading' : undefined}
        onAsk={(text) => chat.ask(text)}
        onStop={() => chat.stop()}
      />
    </div>
  )
}

function EntryView({ entry, clusterId, chat }: { entry: Entry; clusterId: string; chat: Chat }) {
  switch (entry.kind) {
    case 'user':
      return (
        <Message by="You" at={entry.at} own>
          <p className={styles['plain']}>{entry.text}</p>
        </Message>
      )
    case 'assistant':
      return (
        <Message by="Assist" at={entry.at}>
          <Markdown text={entry.text} />
        </Message>
      )
    case 'error':
      return (
        <li>
          <Alert kind="danger">{entry.text}</Alert>
        </li>
      )
    case 'command':
      return (
        <li>
          <ProposalCard clusterId={clusterId} proposal={entry.proposal} onRun={(params) => chat.run(params)} />
        </li>
      )
    case 'ran':
      return (
        <li>
          <PastRun clusterId={clusterId} past={entry} />
        </li>
      )
    case 'run':
      return (
        <li>
          <LiveRun clusterId={clusterId} run={entry.run} />
        </li>
      )
  }
}

function Message({ by, at, own = false, children }: { by: string; at?: Date | undefined; own?: boolean; children: ReactNode }) {
  return (
    <li className={cx(styles['message'], own && styles['own'])}>
      <p className={styles['by']}>
        <span className="strong">{by}</span>
        {at && <span className="muted">{formatDate(at, 'HH:mm')}</span>}
      </p>
      {children}
    </li>
  )
}

/** Stays at the end while it grows, unless somebody has scrolled up to read. */
function Scrolled({ count, length, children }: { count: number; length: number; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  const [isBehind, setBehind] = useState(false)
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight })
  useLayoutEffect(() => {
    if (!isBehind) toEnd()
  }, [count, length, isBehind])
  // What a command prints makes it grow without a new entry.
  useEffect(() => {
    const content = box.current?.firstElementChild
    if (!content) return
    const observer = new ResizeObserver(() => {
      if (!isBehind) toEnd()
    })
    observer.observe(content)
    return () => observer.disconnect()
  }, [isBehind])
  return (
    <div className={styles['frame']}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
      <div
        ref={box}
        className={styles['scroll']}
        tabIndex={0}
        role="region"
        aria-label="Conversation"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setBehind(scrollHeight - scrollTop - clientHeight > atEnd)
        }
      >
        {children}
      </div>
      {isBehind && (
        <Button size={24} icon={ArrowDown} className={styles['down'] ?? ''} onClick={toEnd}>
          New messages
        </Button>
      )}
    </div>
  )
}

const questionsOf = (entries: readonly Entry[]): string[] => entries.flatMap((entry) => (entry.kind === 'user' ? [entry.text] : []))

/** A conversation without a title gets one when its first answer is complete. */
function useTitle(conversationId: string, entries: readonly Entry[], phase: string): void {
  const { conversations } = useConversations()
  const own = conversations?.find(({ id }) => id === conversationId)
  const [question] = questionsOf(entries)
  const asked = useRef(false)
  useEffect(() => {
    if (asked.current || phase !== 'ready' || !own || own.title !== '' || question === undefined) return
    asked.current = true
    void giveTitle(conversationId, question)
  }, [conversationId, own, phase, question])
}

import { useEffect } from 'react'
import { Avatar } from '../../ui/Avatar.tsx'
import { formatDate } from '../../ui/dates.ts'
import styles from './console.module.css'

export interface PartyNews {
  tabId: string
  joined: readonly string[]
  left: readonly string[]
  at: Date
}

const shownFor = 8000

/** A small note that someone came or went; it never covers the prompt's line and goes away by itself. */
export function PartyNote({ news, onDone }: { news: PartyNews; onDone: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onDone, shownFor)
    return () => clearTimeout(timer)
  }, [onDone])
  const joined = news.joined.length > 0
  const names = joined ? news.joined : news.left
  return (
    <div className={styles['note']} role="status">
      <Avatar name={names[0] ?? ''} />
      <span>
        <span className="strong">{names.join(', ')}</span> {joined ? 'joined' : 'left'}
      </span>
      <span className="muted sm">{formatDate(news.at, 'HH:mm:ss')}</span>
    </div>
  )
}

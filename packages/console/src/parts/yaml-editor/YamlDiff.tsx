import { useEffect, useRef } from 'react'
import { startYamlDiff } from './yaml-diff.ts'
import styles from './YamlEditor.module.css'

/** Two texts as one: lines that went, lines that came, what stayed folded away. */
export function YamlDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => (host.current ? startYamlDiff(host.current, { before, after, label }) : undefined), [before, after, label])
  return <div ref={host} className={styles['diff']} />
}

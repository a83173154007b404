import { confirm } from '../../ui/confirm.ts'
import { closeQuestion, tabTitle } from './console-tabs.ts'
import type { LiveTerminals } from './live-terminals.ts'

/** Closes tabs; asks once before running sessions end or are left. */
export function closeTabs(terminals: LiveTerminals, ids: readonly string[]): void {
  const all = ids.flatMap((id) => terminals.tabs.get(id) ?? [])
  const now = Date.now()
  const asked = all.flatMap((tab) => closeQuestion(tab, now) ?? [])
  const run = (): void => all.forEach(({ id }) => terminals.close(id))
  const [only] = all
  if (asked.length === 0 || !only) return run()
  const ends = asked.includes('end')
  if (all.length > 1)
    return confirm({
      title: `Close ${all.length.toLocaleString('en')} tabs?`,
      body: `${asked.length === 1 ? 'One has' : `${asked.length.toLocaleString('en')} have`} a running session. ${
        ends ? 'Your own are ended, with the programs in them.' : 'The others stay in them.'
      }`,
      action: 'Close tabs',
      danger: ends,
      run,
    })
  const title = tabTitle(only)
  return confirm({
    title: ends ? `End the session on ${title}?` : `Leave the session on ${title}?`,
    body: ends ? 'Its shell and the programs in it are ended.' : 'The others stay in it.',
    action: ends ? 'End session' : 'Leave session',
    danger: ends,
    run,
  })
}

/** What one generation changes is felt in all others at once. On the embedded store nothing else tells them; elsewhere they hear it twice. */
import type { ChangeFeed } from '../resources/change-feed.ts'
import type { Generation } from './generation.ts'

export function shareChanges(feed: ChangeFeed, generation: Generation): Disposable {
  let isHearsay = false
  using sharing = new DisposableStack()
  sharing.use(
    feed.subscribe((change) => {
      if (!isHearsay) generation.tell({ kind: 'change', change })
    }),
  )
  sharing.use(
    generation.onNews((news) => {
      if (news.kind !== 'change') return
      isHearsay = true
      feed.publish(news.change)
      isHearsay = false
    }),
  )
  return sharing.move()
}

import { put } from '@sallyport/wire/calls/locks.ts'
import { request } from '../../api/page.ts'
import { toTargets } from './lock-kinds.ts'
import type { LockChoice } from './lock-kinds.ts'

export interface Placed {
  done: readonly LockChoice[]
  failed: readonly { choice: LockChoice; error: string }[]
}

/** One lock for each target. All are tried, one after the other; a lock on oneself comes last, for it ends the session that places them. */
export async function placeLocks(
  choices: readonly LockChoice[],
  { clusterId, username, message, ttl }: { clusterId: string; username: string; message: string; ttl: string },
): Promise<Placed> {
  const isOwn = ({ kind, value }: LockChoice): boolean => kind === 'user' && value === username
  const done: LockChoice[] = []
  const failed: { choice: LockChoice; error: string }[] = []
  for (const choice of choices.toSorted((a, b) => Number(isOwn(a)) - Number(isOwn(b))))
    try {
      await request(put, { params: { clusterId }, body: { targets: toTargets(choice), message, ttl } })
      done.push(choice)
    } catch (cause) {
      failed.push({ choice, error: cause instanceof Error ? cause.message : String(cause) })
    }
  return { done, failed }
}

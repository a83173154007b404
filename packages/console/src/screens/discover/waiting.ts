/** The marks of machines that this tab waits for. They are no secrets, and go with the tab. */
import * as z from 'zod/mini'

const key = 'sallyport_discover_waiting'
/** Of more commands than this, the oldest are not watched any more. */
const most = 4

export function waitingIds(): string[] {
  try {
    return z.array(z.string()).parse(JSON.parse(window.sessionStorage.getItem(key) ?? '[]'))
  } catch {
    return [] // forbidden, or not ours: the same as none
  }
}

export function rememberWaiting(id: string): void {
  write([id, ...waitingIds()].slice(0, most))
}

/** Whoever joined has been taken on. */
export const forgetWaiting = (): void => write([])

function write(ids: readonly string[]): void {
  try {
    window.sessionStorage.setItem(key, JSON.stringify(ids))
  } catch {
    return // without storage a reload starts anew
  }
}

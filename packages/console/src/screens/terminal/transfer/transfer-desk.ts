import { createStore, type Store } from '../../../ui/store.ts'
import { toasts } from '../../../ui/toast.ts'
import type { ModeratedSession } from './moderators.ts'
import type { TransferPlace } from './transfer-item.ts'
import type { ChosenFile, TransferQueue, TransferView } from './transfer-queue.ts'

/** Where files are handed in. What copies them is fetched with the first one: a terminal does not need it. */
export class TransferDesk {
  /** Undefined until then. */
  readonly store: Store<TransferQueue | undefined> = createStore<TransferQueue | undefined>(undefined)
  readonly #sessionOf: (sid: string) => ModeratedSession | undefined

  /** `sessionOf`: the session of this page with that id. */
  constructor(sessionOf: (sid: string) => ModeratedSession | undefined) {
    this.#sessionOf = sessionOf
  }

  show(view: TransferView): void {
    this.#use((queue) => queue.show(view))
  }

  drop(place: TransferPlace, files: readonly ChosenFile[]): void {
    this.#use((queue) => queue.drop(place, files))
  }

  #use(task: (queue: TransferQueue) => void): void {
    const queue = this.store.get()
    if (queue) return task(queue)
    import('./page-transfers.ts').then(
      ({ createPageTransfers }) => {
        // Somebody else may have been waiting for it as well.
        const fetched = this.store.get() ?? createPageTransfers(this.#sessionOf)
        this.store.set(() => fetched)
        task(fetched)
      },
      () =>
        toasts.show({ kind: 'danger', title: 'Files cannot be copied now', body: 'The proxy does not answer. Try again when it is back.' }),
    )
  }
}

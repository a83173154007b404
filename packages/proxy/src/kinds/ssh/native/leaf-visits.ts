/** At a root: what one client has open at its leaves. It ends with the client's connection, and hears why. */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { limitExceeded } from '../../../core/errors.ts'
import type { JumpSocket } from '../../../core/trusted-clusters/jump-socket.ts'
import type { LeafJump, LeafJumps, Traveller } from '../../../core/trusted-clusters/leaf-jumps.ts'
import type { Holder } from './authentication.ts'
import { joinStreams } from './join-streams.ts'
import type { Ending, Jumper } from './jumps.ts'

export interface LeafVisits {
  of(holder: Holder, jumper: Pick<Jumper, 'address' | 'caller' | 'running'>): ClientVisits
}

export interface ClientVisits extends Disposable {
  /** The leaf that a name belongs to, of those that the client may enter. */
  find(name: string): Promise<{ leaf: string; host: string } | undefined>
  /** `open` makes the client's end, once the leaf has opened its own. Rejects with AppError. */
  enter(jump: Pick<LeafJump, 'leaf' | 'host' | 'port' | 'name'>, open: () => Duplex | undefined): Promise<void>
}

/** No client opens as much on one connection. */
const maxVisits = 100
/** How long a leaf may take to end what runs there. */
const endWithin = 2_000

export function createLeafVisits(leafJumps: LeafJumps, stopping: AbortSignal): LeafVisits {
  return {
    of({ key, isConfirmed, expires }, { address, caller, running }) {
      const gone = new AbortController()
      const traveller: Traveller = {
        actor: { ...caller, signal: gone.signal },
        login: `ssh/${randomUUID()}`,
        certificate: { key, confirmed: isConfirmed, expires },
      }
      const ended = AbortSignal.any([gone.signal, stopping])
      let count = 0
      return {
        find: (name) => leafJumps.find(name, caller.access),
        async enter(jump, open) {
          if (count >= maxVisits) throw limitExceeded('too many connections to other clusters at once; close some first')
          count += 1
          try {
            const far = await leafJumps.open({ ...jump, traveller, clientAddress: address }, ended).catch((error: unknown) => {
              if (gone.signal.aborted) return undefined // nobody is left to tell
              throw error
            })
            const near = far && !gone.signal.aborted ? open() : undefined
            if (!far || !near) return void far?.destroy()
            const over = joinStreams(near, far)
            const held = { disconnect: endingOf(far, over) }
            running.add(held)
            await over
            running.delete(held)
          } finally {
            count -= 1
          }
        },
        [Symbol.dispose]: () => gone.abort(new Error('the client is gone')),
      }
    },
  }
}

/** The leaf tells the client in the session, which nobody here can read or write. */
const endingOf =
  (far: JumpSocket, over: Promise<void>): Ending['disconnect'] =>
  async (reason) => {
    far.tell({ note: 'stop', text: reason.kind === 'cut' ? reason.text.slice(0, 2048) : '' })
    await Promise.race([over, delay(endWithin, undefined, { ref: false })])
    far.destroy()
  }

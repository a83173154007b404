/** At a root: the way of one request to a leaf, with the assertion of who asks. */
import type { Duplex } from 'node:stream'
import { assertionHeader } from '@sallyport/wire/cluster-link.ts'
import type { Caller } from '../caller.ts'
import { subjectOfCaller } from '../locks/lock.ts'
import type { LockView } from '../locks/lock-view.ts'
import { loginOf, signAssertion } from './assertions.ts'
import type { SignDeps } from './assertions.ts'
import type { ClusterLinks } from './cluster-links.ts'

export interface Passage {
  readonly leaf: string
  readonly caller: Caller
  readonly clientAddress: string
}

export interface OpenPassage {
  readonly stream: Duplex
  readonly headers: Readonly<Record<string, string>>
}

export interface Passages {
  /** For one request: a connection to the leaf, and the header that says who asks. Throws connection problem. */
  open(passage: Passage, request: { method: string; target: string }, signal: AbortSignal): Promise<OpenPassage>
}

export interface PassageDeps extends SignDeps {
  links: Pick<ClusterLinks, 'open' | 'tellOver'>
  lockView: Pick<LockView, 'watch'>
}

export function createPassages(deps: PassageDeps): Passages {
  const { links, lockView } = deps
  const told = new WeakMap<AbortSignal, Set<string>>()

  /** When the sign-in ends, or a lock hits the access that it has assumed, the leaf ends what lives on it. */
  function tellWhenOver(leaf: string, caller: Caller): void {
    const login = loginOf(caller)
    const visits = told.get(caller.signal) ?? new Set()
    told.set(caller.signal, visits)
    // Each renewal of a session is a login of its own there.
    const visit = `${leaf}/${login}`
    if (visits.has(visit)) return
    visits.add(visit)
    const tell = (): void => {
      visits.delete(visit)
      links.tellOver(leaf, login)
    }
    const watched = caller.assumed && lockView.watch(subjectOfCaller(caller), tell)
    caller.signal.addEventListener(
      'abort',
      () => {
        watched?.[Symbol.dispose]()
        tell()
      },
      { once: true },
    )
  }

  return {
    async open({ leaf, caller, clientAddress }, request, signal) {
      const assertion = signAssertion(deps, leaf, caller, request)
      tellWhenOver(leaf, caller)
      return { stream: await links.open(leaf, signal, clientAddress), headers: { host: leaf, [assertionHeader]: assertion } }
    },
  }
}

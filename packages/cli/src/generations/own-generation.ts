/** A generation's own view of the others, and what it does when it is told to. */
import { connectionProblem } from '@sallyport/proxy/core/errors.ts'
import type { Generation, GenerationNews } from '@sallyport/proxy/core/generations/generation.ts'
import type { PassedPort } from '@sallyport/proxy/ports.ts'
import type { GenerationLink } from './link.ts'

/** What the generation can be told to do, once it serves. */
export interface Duty {
  passedPorts(): PassedPort[]
  lead(): void
  /** Calls when nobody new comes in any more, and resolves when what was there is over. */
  retire(onSteppedDown: () => void): Promise<void>
}

export interface OwnGeneration {
  readonly generation: Generation
  /** The sockets of the generation before. */
  takePorts(): Promise<readonly PassedPort[]>
  serve(duty: Duty): void
}

export function ownGeneration(number: number, link: GenerationLink): OwnGeneration {
  let others: readonly number[] = []
  let duty: Duty | undefined
  let asked = 0
  const restarts = new Map<number, PromiseWithResolvers<{ generation: number }>>()
  const listeners = new Set<(news: GenerationNews) => void>()
  const taken: PassedPort[] = []
  const allPorts = Promise.withResolvers<readonly PassedPort[]>()

  function passPorts(): void {
    for (const { name, handle } of duty?.passedPorts() ?? []) link.send({ say: 'port', name }, handle)
    link.send({ say: 'all-ports' })
  }
  async function retire(): Promise<void> {
    await duty?.retire(() => link.send({ say: 'stepped-down' }))
    link.send({ say: 'done' })
  }
  link.listen((message, handle) => {
    switch (message.say) {
      case 'others':
        others = message.numbers
        return
      case 'pass-ports':
        return passPorts()
      case 'port':
        return void taken.push({ name: message.name, handle })
      case 'all-ports':
        return allPorts.resolve(taken)
      case 'retire':
        return void retire()
      case 'lead':
        return duty?.lead()
      case 'restarted':
        return restarts.get(message.id)?.resolve({ generation: message.generation })
      case 'not-restarted':
        return restarts.get(message.id)?.reject(connectionProblem(message.reason))
      case 'news':
        for (const listener of listeners) listener(message.news)
    }
  })

  return {
    generation: {
      number,
      others: () => others,
      restart() {
        asked += 1
        const outcome = Promise.withResolvers<{ generation: number }>()
        restarts.set(asked, outcome)
        link.send({ say: 'restart', id: asked })
        return outcome.promise
      },
      tell(news) {
        if (others.length > 0) link.send({ say: 'news', news })
      },
      onNews(listener) {
        listeners.add(listener)
        return { [Symbol.dispose]: () => listeners.delete(listener) }
      },
    },
    takePorts() {
      if (number === 0) return Promise.resolve([])
      link.send({ say: 'want-ports' })
      return allPorts.promise
    },
    serve: (given) => void (duty = given),
  }
}

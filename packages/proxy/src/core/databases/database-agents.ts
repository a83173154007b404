/**
 * Agents that are the way to databases whose documents others write: those whose labels match. Which ones the administrator
 * of the cluster says with the join token, and the one of the machine in its agent.json; a database has to match both. One
 * that a token of some host covers is never dialled by the proxy itself: its address means something on that machine only.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Labels, LabelSelector } from '../access/match.ts'
import { matchesLabels } from '../access/match.ts'
import { AppError, notFound } from '../errors.ts'
import type { Host, Hosts } from '../join/hosts.ts'
import type { Route } from '../tunnel/tunnel.ts'
import { databaseTarget } from '@sallyport/wire/tunnel.ts'

export interface DatabaseAgent {
  /** Of its host. */
  readonly id: string
  readonly labels: Labels
  readonly matchers: LabelSelector
}

export interface DatabaseAgents {
  /** A host tells which databases it is for, until `expires` (epoch milliseconds). */
  heard(host: Pick<Host, 'id' | 'labels' | 'matchers'>, matchers: LabelSelector, expires: number): void
  /** Those that were heard from, by id. */
  list(): DatabaseAgent[]
  /** To a database with these labels at `target` (`host:port`); undefined when it is none of an agent's. */
  routeTo(labels: Labels, target: string): Promise<Route | undefined>
}

export interface DatabaseAgentsDeps {
  hosts: Pick<Hosts, 'withMatchers'>
  /** To an address that the agent of a host reaches. */
  through: (agentHostId: string, target: string) => Route
  clock: Clock
}

const maxAgents = 10_000

export function createDatabaseAgents({ hosts, through, clock }: DatabaseAgentsDeps): DatabaseAgents {
  const told = new LRUCache<string, { agent: DatabaseAgent; allowed: LabelSelector; expires: number }>({ max: maxAgents })
  const find = (id: string) => {
    const found = told.get(id)
    return found && found.expires > clock.now() ? found : undefined
  }
  return {
    heard({ id, labels, matchers: allowed }, matchers, expires) {
      told.set(id, { agent: { id, labels, matchers }, allowed, expires })
    },
    list: () =>
      [...told.keys()]
        .flatMap((id) => {
          const found = find(id)
          return found && Object.keys(found.allowed).length > 0 ? [found.agent] : []
        })
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    async routeTo(labels, target) {
      const allowed = (await hosts.withMatchers(clock.now())).filter(({ matchers }) => matchesLabels(matchers, labels))
      if (allowed.length === 0) return undefined
      // One that was not heard from may be connected to another process of this proxy.
      const ways = allowed
        .map(({ id }) => ({ id, agent: find(id)?.agent }))
        .filter(({ agent }) => !agent || matchesLabels(agent.matchers, labels))
        .toSorted((a, b) => Number(b.agent !== undefined) - Number(a.agent !== undefined))
      return async (signal, clientAddress) => {
        let problem: AppError | undefined
        for (const { id } of ways) {
          try {
            return await through(id, databaseTarget(target))(signal, clientAddress)
          } catch (error) {
            if (!(error instanceof AppError)) throw error
            // What an agent itself says is worth more than that another one is not there.
            if (!problem || problem.code === 'not_found') problem = error
          }
        }
        if (problem && problem.code !== 'not_found') throw problem
        throw notFound('no agent that serves this database is connected; check that one of them is running', { cause: problem })
      }
    },
  }
}

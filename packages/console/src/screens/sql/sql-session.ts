/** A SQL console's session, without React: the socket, what runs, and what came of it. */
import { callPath } from '@sallyport/wire/call.ts'
import type { Assertion, AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import { sqlEvent, sqlSocketPath } from '@sallyport/wire/sockets/sql.ts'
import type { SqlColumn, SqlCommand, SqlEvent, SqlProblem, SqlRow } from '@sallyport/wire/sockets/sql.ts'
import { createStore } from '../../ui/store.ts'

/** Rows of a statement that are fetched without being asked for. */
export const firstRows = 1000

export interface SqlAddress {
  clusterId: string
  database: string
  user: string
  name: string
}

/** What came of one statement. */
export interface SqlResult {
  id: number
  text: string
  columns: readonly SqlColumn[]
  /** Grows; `count` of it are there. */
  rows: readonly SqlRow[]
  count: number
  state: 'running' | 'paused' | 'done' | 'failed' | 'cancelled'
  tag: string
  ms: number
  problem: SqlProblem | undefined
}

export interface SqlState {
  phase: 'connecting' | 'ready' | 'running' | 'ended'
  challenge: AuthenticateChallenge['webauthn_challenge'] | undefined
  server: string
  /** What the database speaks; empty until the session has begun. */
  protocol: string
  /** Why it ended. */
  ended: string
  /** Of the last run. */
  results: readonly SqlResult[]
  /** Statements of the last run that were not begun. */
  left: number
  notices: readonly SqlProblem[]
  transaction: 'idle' | 'open' | 'failed'
}

/** The part of a socket that is used. */
export type SqlSocket = Pick<WebSocket, 'addEventListener' | 'send' | 'close' | 'readyState'>

const mostNotices = 100
const normalClosure = 1000
const initial: SqlState = {
  phase: 'connecting',
  challenge: undefined,
  server: '',
  protocol: '',
  ended: '',
  results: [],
  left: 0,
  notices: [],
  transaction: 'idle',
}

export function socketAddress(origin: string, { clusterId, database, user, name }: SqlAddress, token: string): string {
  const url = new URL(callPath(sqlSocketPath, { clusterId, database }), origin.replace(/^http/, 'ws'))
  url.search = new URLSearchParams({ access_token: token, user, name }).toString()
  return url.toString()
}

export class SqlSession {
  readonly state = createStore<SqlState>(initial)
  readonly #open: () => SqlSocket
  #socket: SqlSocket | undefined
  #runs = 0
  #count = 0
  #ids = 0
  #isCancelled = false
  #next: string | undefined

  constructor(open: () => SqlSocket) {
    this.#open = open
  }

  /** Begins, or begins anew after the end. */
  connect(): void {
    this.#socket?.close(normalClosure)
    const socket = this.#open()
    this.#socket = socket
    this.state.set(({ results }) => ({ ...initial, results }))
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (socket !== this.#socket) return
      const event = sqlEvent.safeParse(typeof data === 'string' ? JSON.parse(data) : undefined)
      if (event.success) this.#take(event.data)
    })
    socket.addEventListener('close', () => {
      if (socket === this.#socket)
        this.#end('The connection was refused or broke. Your sign-in, your roles and the database’s state decide; try again.')
    })
  }

  /** Runs statements. What still runs, or waits with more rows, is given up first. */
  run(text: string): void {
    const { phase } = this.state.get()
    if (text.trim() === '') return
    if (phase === 'running') {
      this.#next = text
      return this.cancel()
    }
    if (phase !== 'ready') return
    this.#runs += 1
    this.#isCancelled = false
    this.state.set((now) => ({ ...now, phase: 'running', results: [], notices: [], left: 0 }))
    this.#send({ type: 'run', run: this.#runs, text, rows: firstRows })
  }

  more(rows: number): void {
    this.#change((result) => (result.state === 'paused' ? { ...result, state: 'running' } : result))
    this.#send({ type: 'more', rows })
  }

  cancel(): void {
    if (this.state.get().phase !== 'running') return
    this.#isCancelled = true
    this.#send({ type: 'cancel' })
  }

  prove(assertion: Assertion): void {
    this.state.set((now) => ({ ...now, challenge: undefined }))
    this.#send({ type: 'proof', assertion })
  }

  refuseProof(): void {
    this.close()
    this.#end('The session was not confirmed.')
  }

  close(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close(normalClosure)
  }

  #send(command: SqlCommand): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(command))
  }

  #end(text: string): void {
    this.#next = undefined
    this.state.set((now) =>
      now.phase === 'ended'
        ? now
        : {
            ...now,
            phase: 'ended',
            challenge: undefined,
            ended: text,
            results: now.results.map((result) => (isOver(result) ? result : { ...result, state: 'cancelled' })),
          },
    )
  }

  #change(change: (result: SqlResult) => SqlResult): void {
    this.state.set((now) => {
      const last = now.results.at(-1)
      return last ? { ...now, results: [...now.results.slice(0, -1), change(last)] } : now
    })
  }

  #take(event: SqlEvent): void {
    switch (event.type) {
      case 'challenge':
        // The browser's own machinery reads it, and refuses what is none.
        return this.state.set((now) => ({ ...now, challenge: event.webauthn_challenge as SqlState['challenge'] }))
      case 'open':
        return this.state.set((now) => ({ ...now, phase: 'ready', server: event.server, protocol: event.protocol }))
      case 'statement': {
        this.#ids += 1
        this.#count = event.count
        const result: SqlResult = {
          id: this.#ids,
          text: event.text,
          columns: [],
          rows: [],
          count: 0,
          state: 'running',
          tag: '',
          ms: 0,
          problem: undefined,
        }
        return this.state.set((now) => ({ ...now, results: [...now.results, result] }))
      }
      case 'columns':
        return this.#change((result) => ({ ...result, columns: event.columns }))
      case 'rows':
        return this.#change((result) => {
          const rows = result.rows as SqlRow[]
          for (const row of event.rows) rows.push(row)
          return { ...result, count: rows.length }
        })
      case 'paused':
        return this.#change((result) => ({ ...result, state: 'paused' }))
      case 'done':
        return this.#change((result) => ({ ...result, state: this.#isCancelled ? 'cancelled' : 'done', tag: event.tag, ms: event.ms }))
      case 'failed':
        return this.#change((result) => ({
          ...result,
          state: this.#isCancelled ? 'cancelled' : 'failed',
          problem: event.problem,
          ms: event.ms,
        }))
      case 'notice':
        return this.state.set((now) => ({ ...now, notices: [...now.notices, event.problem].slice(-mostNotices) }))
      case 'ready': {
        this.state.set((now) => ({ ...now, phase: 'ready', transaction: event.transaction, left: this.#count - now.results.length }))
        const next = this.#next
        this.#next = undefined
        this.#count = 0
        if (next !== undefined) this.run(next)
        return
      }
      case 'end':
        return this.#end(event.text)
    }
  }
}

const isOver = ({ state }: SqlResult): boolean => state === 'done' || state === 'failed' || state === 'cancelled'

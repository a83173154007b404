/** The browser's end of a SQL console's socket. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { callPath } from '@sallyport/wire/call.ts'
import { sqlEvent, sqlSocketPath } from '@sallyport/wire/sockets/sql.ts'
import type { SqlCommand, SqlEvent } from '@sallyport/wire/sockets/sql.ts'
import type { ApiClient } from './api-client.ts'

export interface SqlAddress {
  cluster: string
  database: string
  user: string
  name: string
}

export class SqlClient implements AsyncDisposable {
  readonly socket: WebSocket
  readonly events: SqlEvent[] = []
  readonly #watchers = new Set<() => void>()
  #runs = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      this.events.push(sqlEvent.parse(JSON.parse(data.toString())))
      for (const watch of [...this.#watchers]) watch()
    })
  }

  /** Resolves when the socket is open, which the session behind it may not be. Rejects when the upgrade is refused. */
  static async connect(client: ApiClient, { cluster, database, user, name }: SqlAddress): Promise<SqlClient> {
    const query = new URLSearchParams({ access_token: client.bearer ?? '', user, name })
    const path = callPath(sqlSocketPath, { clusterId: cluster, database })
    const socket = new WebSocket(`${client.origin.replace('http', 'ws')}${path}?${query.toString()}`, {
      headers: { cookie: client.cookieHeader, origin: client.origin },
    })
    const sql = new SqlClient(socket)
    await once(socket, 'open')
    return sql
  }

  static async open(client: ApiClient, address: SqlAddress): Promise<SqlClient> {
    const sql = await SqlClient.connect(client, address)
    await sql.next('open')
    return sql
  }

  send(command: SqlCommand): void {
    this.socket.send(JSON.stringify(command))
  }

  /** The first event of a type that came after `from` others. */
  async next<T extends SqlEvent['type']>(type: T, from = 0): Promise<Extract<SqlEvent, { type: T }>> {
    for (;;) {
      const found = this.events.slice(from).find((event): event is Extract<SqlEvent, { type: T }> => event.type === type)
      if (found) return found
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`the socket closed before "${type}": ${JSON.stringify(this.events.at(-1))}`)
      await new Promise<void>((resolve) => {
        const watch = (): void => {
          this.#watchers.delete(watch)
          this.socket.off('close', watch)
          resolve()
        }
        this.#watchers.add(watch)
        this.socket.once('close', watch)
      })
    }
  }

  /** Runs to the end; what came of it. */
  async run(text: string, rows = 1000): Promise<SqlEvent[]> {
    const from = this.events.length
    this.#runs += 1
    this.send({ type: 'run', run: this.#runs, text, rows })
    await this.next('ready', from)
    return this.events.slice(from)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.socket, 'close')
    this.socket.close()
    await closed
  }
}

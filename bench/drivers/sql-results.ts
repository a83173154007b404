/** Large results, read to the end and thrown away. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ApiClient } from '@sallyport/testkit/api-client.ts'
import { SqlClient } from '@sallyport/testkit/sql-client.ts'
import type { SqlAddress } from '@sallyport/testkit/sql-client.ts'
import { requireProgram } from '@sallyport/testkit/targets/programs.ts'
import { sqlRowsLimit } from '@sallyport/wire/sockets/sql.ts'
import type { Server } from './pgbench.ts'

/** As a browser asks for it, and with as little of its own as can be. */
export async function readInConsole(client: ApiClient, address: SqlAddress, text: string): Promise<{ bytes: number; ms: number }> {
  await using sql = await SqlClient.open(client, address)
  const { socket } = sql
  socket.removeAllListeners('message')
  let bytes = 0
  const over = Promise.withResolvers<void>()
  socket.on('message', (frame: Buffer) => {
    bytes += frame.length
    const head = frame.toString('latin1', 0, 20)
    if (head.startsWith('{"type":"paused"')) sql.send({ type: 'more', rows: sqlRowsLimit })
    else if (head.startsWith('{"type":"ready"')) over.resolve()
  })
  const begun = performance.now()
  sql.send({ type: 'run', run: 1, text, rows: sqlRowsLimit })
  await over.promise
  return { bytes, ms: performance.now() - begun }
}

/** Milliseconds. */
export async function readInPsql({ host, port }: Server, text: string): Promise<number> {
  const begun = performance.now()
  const args = ['-X', '-A', '-t', '-h', host, '-p', String(port), '-U', 'writer', 'orders', '-c', text]
  const child = spawn(requireProgram('psql'), args, { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.resume()
  await once(child, 'close')
  return performance.now() - begun
}

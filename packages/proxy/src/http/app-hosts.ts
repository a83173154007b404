/** Requests for host names of applications never reach the routes of the console, and those of the console never an application. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AppGate } from '../kinds/app/gate.ts'

/** To be called once the server has all of its own listeners. */
export function divertAppHosts(server: Server, gate: Pick<AppGate, 'takes' | 'serve' | 'upgrade'>): { leave(): void } {
  let isLeaving = false
  const answers = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!gate.takes(request)) return answers.forEach((answer) => Reflect.apply(answer, server, [request, response]))
    if (isLeaving) response.shouldKeepAlive = false
    gate.serve(request, response)
  })
  const upgrades = server.listeners('upgrade')
  server.removeAllListeners('upgrade')
  server.on('upgrade', (request: IncomingMessage, connection: Duplex, head: Buffer) => {
    if (gate.takes(request)) gate.upgrade(request, connection, head)
    else upgrades.forEach((upgrade) => Reflect.apply(upgrade, server, [request, connection, head]))
  })
  return { leave: () => void (isLeaving = true) }
}

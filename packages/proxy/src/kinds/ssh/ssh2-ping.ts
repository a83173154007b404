/** The round trip that ssh2 has no call for: the request that its keepalive sends, and the answer that it waits for. */
import type Ssh2 from 'ssh2'

/** Milliseconds until the server answers; undefined when the connection ends first, or ssh2 is not the one that is known. */
export function pingServer(client: Ssh2.Client): Promise<number | undefined> {
  const protocol: unknown = Reflect.get(client, '_protocol')
  const callbacks: unknown = Reflect.get(client, '_callbacks')
  const ping: unknown = typeof protocol === 'object' && protocol !== null ? Reflect.get(protocol, 'ping') : undefined
  if (!Array.isArray(callbacks) || typeof ping !== 'function') return Promise.resolve(undefined)
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const started = performance.now()
  // A refusal is an answer as well: servers do not know this request. Only the end of the connection comes as an Error.
  callbacks.push((answer: unknown) => resolve(answer instanceof Error ? undefined : performance.now() - started))
  ping.call(protocol)
  return promise
}

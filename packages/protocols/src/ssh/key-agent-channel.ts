const type = 'auth-agent@openssh.com'
const windowSize = 2 * 1024 * 1024
const packetSize = 32 * 1024

interface Internals {
  _chanMgr: { add(opened: unknown): number }
  _protocol: { openssh_authAgent(channel: number, windowSize: number, packetSize: number): void }
}

/**
 * Opens a way to the client's agent of keys, on a connection of ssh2's server, which can do it but offers no call for it.
 * Resolves with the channel, a Duplex; rejects when the client forwards no agent. Its version is pinned.
 */
export function openKeyAgentChannel(connection: object): Promise<unknown> {
  const { _chanMgr: channels, _protocol: protocol }: Partial<Internals> = connection as Partial<Internals>
  if (typeof channels?.add !== 'function' || typeof protocol?.openssh_authAgent !== 'function')
    throw new Error('ssh2 changed inside (its channels). Install the version that package.json names.')
  return new Promise((resolve, reject) => {
    const opened = (error: Error | undefined, channel: unknown): void => (error ? reject(error) : resolve(channel))
    const id = channels.add(Object.assign(opened, { type }))
    protocol.openssh_authAgent(id, windowSize, packetSize)
  })
}

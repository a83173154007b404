/**
 * What a server may send of a terminal before it is read. ssh2 grants two megabytes and offers no choice; that much of a
 * flood would be shown before the answer to Ctrl-C. Where ssh2 is not the one that is known, its own window stays.
 */
import type Ssh2 from 'ssh2'

export const terminalWindow = 256 * 1024

interface Protocol {
  session: (id: number, window: number, packetSize: number) => void
  channelWindowAdjust: (id: number, bytes: number) => void
}

function protocolOf(client: Ssh2.Client): Protocol | undefined {
  const protocol: unknown = Reflect.get(client, '_protocol')
  const isKnown = (name: keyof Protocol): boolean =>
    typeof protocol === 'object' && protocol !== null && typeof Reflect.get(protocol, name) === 'function'
  return isKnown('session') && isKnown('channelWindowAdjust') ? (protocol as Protocol) : undefined
}

/** Runs `open`, which asks for one session channel; the server is granted the smaller window. False when it is not possible. */
export function openWithWindow(client: Ssh2.Client, open: () => void): boolean {
  const protocol = protocolOf(client)
  if (!protocol) {
    open()
    return false
  }
  protocol.session = (id, _window, packetSize) => Object.getPrototypeOf(protocol).session.call(protocol, id, terminalWindow, packetSize)
  try {
    open()
  } finally {
    Reflect.deleteProperty(protocol, 'session')
  }
  return true
}

/** Grants a channel that was opened so what has been read of it. ssh2 believes that its window is nearly full, and grants nothing. */
export function grantWhatIsRead(client: Ssh2.Client, channel: Ssh2.ClientChannel): void {
  const protocol = protocolOf(client)
  const incoming: unknown = Reflect.get(channel, 'incoming')
  const outgoing: unknown = Reflect.get(channel, 'outgoing')
  if (!protocol || typeof incoming !== 'object' || incoming === null || typeof outgoing !== 'object' || outgoing === null)
    throw new TypeError('this ssh2 has other channels than the one that is known')
  const windowNow = (): number => Number(Reflect.get(incoming, 'window'))
  const whole = windowNow()
  const grant = (): void => {
    const read = whole - windowNow() - channel.readableLength
    if (read < terminalWindow / 2 || Reflect.get(outgoing, 'state') !== 'open') return
    Reflect.set(incoming, 'window', windowNow() + read)
    protocol.channelWindowAdjust(Number(Reflect.get(outgoing, 'id')), read)
  }
  channel.on('data', grant)
  // A terminal has one stream of output. Where a server sends another one all the same, ssh2 goes on with what is left.
  const { stderr } = channel
  stderr.push = (...given) => {
    Reflect.deleteProperty(stderr, 'push')
    channel.off('data', grant)
    Reflect.set(incoming, 'window', terminalWindow - (whole - windowNow()))
    return stderr.push(...given)
  }
}

import type { Connection } from 'ssh2'

interface Protocol {
  channelOpenFail(recipient: number, reason: number, description?: string): void
}
const administrativelyProhibited = 1

/** Refuses a channel with a sentence that the client shows; the library's own `reject` sends none. */
export function refuseChannel(connection: Connection, reject: () => void, text: string): void {
  const protocol: Protocol = Reflect.get(connection, '_protocol')
  const plain = protocol.channelOpenFail
  protocol.channelOpenFail = (recipient) => plain.call(protocol, recipient, administrativelyProhibited, text)
  try {
    reject()
  } finally {
    protocol.channelOpenFail = plain
  }
}

/** The name that a TLS client asks for, read from the beginning of what it sends (RFC 8446 section 4.1.2, RFC 6066 section 3). */

/** `more`: the greeting has not arrived as a whole. `none`: it names no server, or is no TLS. */
export type ServerName = { kind: 'name'; name: string } | { kind: 'more' } | { kind: 'none' }

const handshakeRecord = 22
const clientHello = 1
const serverNameExtension = 0
const hostName = 0
const recordHeader = 5
const messageHeader = 4
/** Longer greetings are none that a client sends. */
const lengthLimit = 16 * 1024

const none: ServerName = { kind: 'none' }
const more: ServerName = { kind: 'more' }

export function readServerName(bytes: Uint8Array): ServerName {
  if (bytes.length > 0 && bytes[0] !== handshakeRecord) return none
  const hello = readHello(bytes)
  if (hello === 'more') return bytes.length > lengthLimit ? none : more
  const name = hello && nameIn(hello)
  return name === undefined ? none : { kind: 'name', name }
}

/** The body of the first message, which may be spread over several records. */
function readHello(bytes: Uint8Array): Uint8Array | 'more' | undefined {
  // Nothing is copied until all is there: whoever sends byte by byte has this called for each of them.
  const parts: Uint8Array[] = []
  let length = 0
  let total: number | undefined
  for (let at = 0; at + recordHeader <= bytes.length;) {
    if (bytes[at] !== handshakeRecord) return undefined
    const end = at + recordHeader + readNumber(bytes, at + 3, 2)
    const part = bytes.subarray(at + recordHeader, end)
    parts.push(part)
    length += part.length
    at = end
    if (total === undefined && length > 0) {
      const start = Buffer.concat(parts)
      if (start[0] !== clientHello) return undefined
      if (length >= messageHeader) total = messageHeader + readNumber(start, 1, 3)
      if (total !== undefined && total > lengthLimit) return undefined
    }
    if (total !== undefined && length >= total) return Buffer.concat(parts).subarray(messageHeader, total)
  }
  return 'more'
}

function nameIn(hello: Uint8Array): string | undefined {
  // Version and random, then session id, cipher suites and compression methods, each with its length.
  let at = 34
  for (const width of [1, 2, 1]) {
    if (at + width > hello.length) return undefined
    at += width + readNumber(hello, at, width)
  }
  at += 2
  while (at + 4 <= hello.length) {
    const type = readNumber(hello, at, 2)
    const length = readNumber(hello, at + 2, 2)
    const end = at + 4 + length
    if (end > hello.length) return undefined
    if (type === serverNameExtension) return firstHostName(hello.subarray(at + 4, end))
    at = end
  }
  return undefined
}

function firstHostName(list: Uint8Array): string | undefined {
  if (list.length < 5 || list[2] !== hostName) return undefined
  const length = readNumber(list, 3, 2)
  if (5 + length > list.length) return undefined
  return new TextDecoder('latin1').decode(list.subarray(5, 5 + length))
}

function readNumber(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let index = 0; index < width; index += 1) value = value * 256 + (bytes[at + index] ?? 0)
  return value
}

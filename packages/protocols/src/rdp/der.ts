/** The bit of ASN.1 that RDP uses: tags of one byte (and the two-byte ones of MCS), definite lengths. */
import { ProtocolError } from '../protocol-error.ts'

export const tags = { boolean: 0x01, integer: 0x02, octetString: 0x04, enumerated: 0x0a, sequence: 0x30 } as const
/** A field of a structure with explicit tags. */
export const contextTag = (number: number): number => 0xa0 | number

export function encodeDer(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const head = tag > 0xff ? [tag >> 8, tag & 0xff] : [tag]
  const { length } = body
  if (length < 0x80) return Buffer.concat([Buffer.from([...head, length]), body])
  if (length < 0x100) return Buffer.concat([Buffer.from([...head, 0x81, length]), body])
  if (length < 0x10000) return Buffer.concat([Buffer.from([...head, 0x82, length >> 8, length & 0xff]), body])
  return Buffer.concat([Buffer.from([...head, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff]), body])
}

/** A non-negative integer. */
export function encodeInteger(value: number, tag: number = tags.integer): Buffer {
  const bytes = [value & 0xff]
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff)
  if ((bytes[0] ?? 0) >= 0x80) bytes.unshift(0)
  return encodeDer(tag, Buffer.from(bytes))
}

export interface DerElement {
  tag: number
  body: Buffer
  /** Bytes of the element with its tag and length. */
  length: number
}

/** The element that the bytes begin with; undefined when they are no whole one yet. Throws ProtocolError. */
export function tryReadDer(bytes: Buffer): DerElement | undefined {
  let at = 1
  let tag = bytes[0]
  if (tag === undefined) return undefined
  if ((tag & 0x1f) === 0x1f) {
    const second = bytes[1]
    if (second === undefined) return undefined
    tag = (tag << 8) | second
    at = 2
  }
  const first = bytes[at]
  if (first === undefined) return undefined
  at += 1
  let length = first
  if (first >= 0x80) {
    const count = first & 0x7f
    if (count === 0 || count > 3) throw new ProtocolError('rdp/malformed', 'A structure of the desktop has a length that is not used.')
    if (bytes.length < at + count) return undefined
    length = bytes.readUIntBE(at, count)
    at += count
  }
  return bytes.length < at + length ? undefined : { tag, body: bytes.subarray(at, at + length), length: at + length }
}

export function readDer(bytes: Buffer): DerElement {
  const element = tryReadDer(bytes)
  if (!element) throw new ProtocolError('rdp/truncated', 'A structure of the desktop ends early.')
  return element
}

/** The elements that a structure consists of. */
export function readDerChildren(bytes: Buffer): DerElement[] {
  const children: DerElement[] = []
  for (let rest = bytes; rest.length > 0;) {
    const child = readDer(rest)
    children.push(child)
    rest = rest.subarray(child.length)
  }
  return children
}

export function readInteger(body: Buffer): number {
  if (body.length === 0 || body.length > 6) throw new ProtocolError('rdp/malformed', 'A number of the desktop is too long.')
  return body.readUIntBE(0, body.length)
}

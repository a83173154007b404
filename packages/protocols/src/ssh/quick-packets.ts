/**
 * Makes connections of ssh2 cheaper where bytes flood. The library takes fresh memory for each packet several times over, and
 * writes it in three pieces, each a system call and a segment of its own. Here packets of AES-GCM are put together in memory
 * that is used again, and what is written in one turn of the event loop leaves as one.
 *
 * Inner fields of the library are used for it. Where one is not as expected, the connection stays as it was: slower, not broken.
 */
import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto'
import type { CipherGCMTypes } from 'node:crypto'

/** A client of the library, or a connection of its server. */
interface Connection {
  on(event: 'handshake', listener: () => void): unknown
}

/** Where a connection writes to. */
interface Stream {
  readonly writable: boolean
  cork(): void
  uncork(): void
  write(bytes: Buffer): unknown
}

/** What the library keeps of its outbound direction after a key exchange. */
interface Cipher {
  outSeqno: number
  readonly _encSSLName: CipherGCMTypes
  readonly _encKey: Buffer
  readonly _encIV: Buffer
  readonly _dead: boolean
  allocPacket(payloadLength: number): Buffer
  encrypt(packet: Buffer): void
}

/** And of the inbound one. */
interface Decipher {
  inSeqno: number
  readonly _decipherSSLName: CipherGCMTypes
  readonly _decipherKey: Buffer
  readonly _decipherIV: Buffer
  /** Bytes that it has of the length of a packet: not 0 within one. */
  readonly _lenBytes: number
  /** Anything but undefined interrupts: with `false`, what follows belongs to other keys. */
  _onPayload(payload: Buffer): unknown
  /** Returns how far it came. */
  decrypt(data: Buffer, from: number, end: number): unknown
}

const lengthSize = 4
/** Length, and the length of the padding. */
const headSize = 5
const tagSize = 16
const blockSize = 16
const smallestPadding = 4
/** With length and tag; the limit of the library. */
const largestPacket = 35_000
/** Where packets are put together: the library fills one and has it encrypted before anything else happens. */
const outbound = Buffer.allocUnsafeSlow(largestPacket)
/** The keys hide it, so that it need not be another one in each packet. */
const padding = randomFillSync(Buffer.alloc(blockSize + smallestPadding))

/** To be called before the first key exchange is over. */
export function quickenPackets(connection: Connection): void {
  const stream: unknown = Reflect.get(connection, '_sock')
  if (!isStream(stream)) return
  const write = writeInTurns(stream)
  connection.on('handshake', () => {
    const { _cipher: cipher, _decipher: decipher }: Record<string, unknown> = Reflect.get(connection, '_protocol')
    if (isCipher(cipher)) quickenCipher(cipher, write)
    if (isDecipher(decipher)) quickenDecipher(decipher)
  })
}

function quickenCipher(cipher: Cipher, write: (bytes: Buffer) => void): void {
  const allocLarge = cipher.allocPacket.bind(cipher)
  cipher.allocPacket = (payloadLength) => {
    const unpadded = headSize + payloadLength
    const missing = blockSize - ((unpadded - lengthSize) % blockSize)
    const paddingLength = missing < smallestPadding ? missing + blockSize : missing
    const length = unpadded + paddingLength
    if (length > largestPacket) return allocLarge(payloadLength)
    const packet = outbound.subarray(0, length)
    packet.writeUInt32BE(length - lengthSize)
    packet[lengthSize] = paddingLength
    packet.set(padding.subarray(0, paddingLength), unpadded)
    return packet
  }
  cipher.encrypt = (packet) => {
    if (cipher._dead) return
    const length = Buffer.from(packet.subarray(0, lengthSize))
    const gcm = createCipheriv(cipher._encSSLName, cipher._encKey, cipher._encIV)
    gcm.setAAD(length)
    write(length)
    write(gcm.update(packet.subarray(lengthSize)))
    gcm.final()
    write(gcm.getAuthTag())
    countUp(cipher._encIV)
    cipher.outSeqno = (cipher.outSeqno + 1) >>> 0
  }
}

function quickenDecipher(decipher: Decipher): void {
  const decryptSlowly = decipher.decrypt.bind(decipher)
  /** The beginning of a packet whose rest has not come yet. */
  let inbound: Buffer | undefined
  let kept = 0

  const open = (packet: Buffer): Buffer => {
    const end = packet.length - tagSize
    const gcm = createDecipheriv(decipher._decipherSSLName, decipher._decipherKey, decipher._decipherIV)
    gcm.setAAD(packet.subarray(0, lengthSize))
    const body = gcm.update(packet.subarray(lengthSize, end))
    gcm.setAuthTag(packet.subarray(end))
    gcm.final()
    countUp(decipher._decipherIV)
    decipher.inSeqno = (decipher.inSeqno + 1) >>> 0
    return body.subarray(1, body.length - (body[0] ?? 0))
  }
  /** Keeps bytes until `wanted` are there; returns how many it took. */
  const keep = (data: Buffer, from: number, end: number, wanted: number): number => {
    const taken = Math.min(wanted - kept, end - from)
    inbound ??= Buffer.allocUnsafeSlow(largestPacket)
    data.copy(inbound, kept, from, from + taken)
    kept += taken
    return taken
  }
  decipher.decrypt = (data, from, end) => {
    // It was in the middle of a packet when this took over.
    if (decipher._lenBytes > 0) return decryptSlowly(data, from, end)
    let at = from
    while (at < end) {
      let packet: Buffer
      const whole = kept === 0 && end - at >= lengthSize ? lengthOf(data, at) : Infinity
      if (whole <= end - at) {
        packet = data.subarray(at, at + whole)
        at += whole
      } else {
        if (kept < lengthSize) at += keep(data, at, end, lengthSize)
        if (!inbound || kept < lengthSize) return undefined
        const length = lengthOf(inbound, 0)
        at += keep(data, at, end, length)
        if (kept < length) return undefined
        packet = inbound.subarray(0, length)
        kept = 0
      }
      const interruption = decipher._onPayload(open(packet))
      if (interruption !== undefined) return interruption === false ? at : interruption
    }
    return undefined
  }
}

/** Of a packet with its length and tag. Throws when no packet is that long. */
function lengthOf(data: Buffer, at: number): number {
  const length = data.readUInt32BE(at)
  if (length + lengthSize + tagSize > largestPacket || length < blockSize || length % blockSize !== 0) throw new Error('Bad packet length')
  return length + lengthSize + tagSize
}

/** What is written in one turn leaves the process as one. */
function writeInTurns(stream: Stream): (bytes: Buffer) => void {
  let isGathering = false
  const release = (): void => {
    isGathering = false
    stream.uncork()
  }
  return (bytes) => {
    if (!stream.writable) return
    if (!isGathering) {
      isGathering = true
      stream.cork()
      process.nextTick(release)
    }
    stream.write(bytes)
  }
}

/** The number of the packet in the last eight bytes of the nonce (RFC 5647). */
function countUp(nonce: Buffer): void {
  for (let at = nonce.length - 1; at >= 4; at -= 1) {
    const next = (nonce[at] ?? 0) + 1
    nonce[at] = next
    if (next < 256) return
  }
}

const nonceSize = 12
const isNonce = (value: unknown): boolean => Buffer.isBuffer(value) && value.length === nonceSize

const isStream = (value: unknown): value is Stream => typeof value === 'object' && value !== null && 'cork' in value && 'uncork' in value
const isGcm = (name: unknown): boolean => typeof name === 'string' && name.endsWith('-gcm')

function isCipher(value: unknown): value is Cipher {
  const cipher: Partial<Cipher> = typeof value === 'object' && value !== null ? value : {}
  return isGcm(cipher._encSSLName) && Buffer.isBuffer(cipher._encKey) && isNonce(cipher._encIV) && typeof cipher.outSeqno === 'number'
}

function isDecipher(value: unknown): value is Decipher {
  const decipher: Partial<Decipher> = typeof value === 'object' && value !== null ? value : {}
  return (
    isGcm(decipher._decipherSSLName) &&
    Buffer.isBuffer(decipher._decipherKey) &&
    isNonce(decipher._decipherIV) &&
    typeof decipher.inSeqno === 'number' &&
    typeof decipher._lenBytes === 'number'
  )
}

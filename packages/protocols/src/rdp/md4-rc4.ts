/** MD4 and RC4, which NTLM is made of and OpenSSL has put away. Nothing else may use them. */

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

export function md4(message: Uint8Array): Buffer {
  const padded = Buffer.alloc(Math.ceil((message.length + 9) / 64) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  padded.writeUInt32LE((message.length * 8) >>> 0, padded.length - 8)
  padded.writeUInt32LE(Math.floor((message.length * 8) / 2 ** 32), padded.length - 4)
  let [a, b, c, d] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
  const rounds = [
    { add: 0, shifts: [3, 7, 11, 19], order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] },
    { add: 0x5a82_7999, shifts: [3, 5, 9, 13], order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15] },
    { add: 0x6ed9_eba1, shifts: [3, 9, 11, 15], order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15] },
  ]
  for (let at = 0; at < padded.length; at += 64) {
    const before = [a, b, c, d] as const
    for (const [round, { add, shifts, order }] of rounds.entries())
      for (const [step, word] of order.entries()) {
        const mixed = round === 0 ? (b & c) | (~b & d) : round === 1 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d
        const next = rotate((a + mixed + padded.readUInt32LE(at + word * 4) + add) | 0, shifts[step % 4] ?? 0)
        ;[a, b, c, d] = [d, next, b, c]
      }
    ;[a, b, c, d] = [(a + before[0]) | 0, (b + before[1]) | 0, (c + before[2]) | 0, (d + before[3]) | 0]
  }
  const digest = Buffer.alloc(16)
  for (const [index, word] of [a, b, c, d].entries()) digest.writeInt32LE(word | 0, index * 4)
  return digest
}

/** A key stream that goes on from message to message. */
export class Rc4 {
  readonly #state = Uint8Array.from({ length: 256 }, (_, index) => index)
  #i = 0
  #j = 0

  constructor(key: Uint8Array) {
    let j = 0
    for (let i = 0; i < 256; i += 1) {
      j = (j + this.#at(i) + (key[i % key.length] ?? 0)) & 0xff
      this.#swap(i, j)
    }
  }

  apply(bytes: Uint8Array): Buffer {
    return Buffer.from(
      bytes.map((byte) => {
        this.#i = (this.#i + 1) & 0xff
        this.#j = (this.#j + this.#at(this.#i)) & 0xff
        this.#swap(this.#i, this.#j)
        return byte ^ this.#at((this.#at(this.#i) + this.#at(this.#j)) & 0xff)
      }),
    )
  }

  #at(index: number): number {
    return this.#state[index] ?? 0
  }

  #swap(i: number, j: number): void {
    const kept = this.#at(i)
    this.#state[i] = this.#at(j)
    this.#state[j] = kept
  }
}

/** What desktops ask about files, directories and volumes of the client (MS-FSCC), as they want it laid out. */
import { u32, utf16 } from './bytes.ts'

export interface FileFacts {
  isDirectory: boolean
  size: number
  /** Milliseconds since 1970. */
  modified: number
}

export const fileClasses = { basic: 4, standard: 5, tag: 35 } as const
export const directoryClasses = { plain: 1, full: 2, both: 3, names: 12 } as const
export const volumeClasses = { volume: 1, size: 3, device: 4, attributes: 5, fullSize: 7 } as const

const attributes = { directory: 0x10, archive: 0x20 } as const
const attributesOf = ({ isDirectory }: FileFacts): number => (isDirectory ? attributes.directory : attributes.archive)
/** Milliseconds from 1601 to 1970. */
const epoch = 11_644_473_600_000n

export function u64(...values: (number | bigint)[]): Buffer {
  const bytes = Buffer.alloc(values.length * 8)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), index * 8)
  return bytes
}

/** Created, accessed, written and changed: browsers know one of them. */
function times({ modified }: FileFacts): Buffer {
  const time = (BigInt(Math.max(0, Math.round(modified))) + epoch) * 10_000n
  return u64(time, time, time, time)
}

/** Undefined for what is not told. */
export function encodeFileInformation(file: FileFacts, fileClass: number, isDeleted: boolean): Buffer | undefined {
  switch (fileClass) {
    case fileClasses.basic:
      return Buffer.concat([times(file), u32(attributesOf(file))])
    case fileClasses.standard:
      return Buffer.concat([u64(file.size, file.size), u32(1), Buffer.from([Number(isDeleted), Number(file.isDirectory)])])
    case fileClasses.tag:
      return u32(attributesOf(file), 0)
    default:
      return undefined
  }
}

/** One entry of a directory; undefined for a class that is not told. */
export function encodeEntry(name: string, file: FileFacts, directoryClass: number): Buffer | undefined {
  const text = utf16(name)
  if (directoryClass === directoryClasses.names) return Buffer.concat([u32(0, 0, text.length), text])
  const facts = [u32(0, 0), times(file), u64(file.size, file.size), u32(attributesOf(file), text.length)]
  switch (directoryClass) {
    case directoryClasses.plain:
      return Buffer.concat([...facts, text])
    case directoryClasses.full:
      return Buffer.concat([...facts, u32(0), text])
    case directoryClasses.both:
      // No extended attributes, and no short name.
      return Buffer.concat([...facts, u32(0), Buffer.alloc(25), text])
    default:
      return undefined
  }
}

const [sectorsPerUnit, bytesPerSector] = [8, 512]
/** Browsers do not tell how much room there is: a terabyte, half of it free. */
const units = 2 ** 40 / (sectorsPerUnit * bytesPerSector)
const diskDevice = 7
/** Keeps the case of names, and knows Unicode. */
const volumeAttributes = 0x06

export function encodeVolume(label: string, volumeClass: number): Buffer | undefined {
  switch (volumeClass) {
    case volumeClasses.volume: {
      const text = utf16(label)
      return Buffer.concat([u64(0), u32(0x5a11_0001, text.length), Buffer.from([0]), text])
    }
    case volumeClasses.size:
      return Buffer.concat([u64(units, units / 2), u32(sectorsPerUnit, bytesPerSector)])
    case volumeClasses.fullSize:
      return Buffer.concat([u64(units, units / 2, units / 2), u32(sectorsPerUnit, bytesPerSector)])
    case volumeClasses.device:
      return u32(diskDevice, 0)
    case volumeClasses.attributes: {
      const text = utf16('FAT32')
      return Buffer.concat([u32(volumeAttributes, 255, text.length), text])
    }
    default:
      return undefined
  }
}

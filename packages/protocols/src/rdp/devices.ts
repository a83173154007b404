/**
 * The channel of redirected devices (MS-RDPEFS), for directories: the desktop opens, reads and writes files of the client.
 * Every message begins with `component u16 | packet u16`; requests go on with `device, file, completion, major, minor u32`.
 */
import { RdpReader, u16, u32, utf16 } from './bytes.ts'

export const deviceChannel = 'rdpdr'
/** Desktops redirect devices only to clients that name this one too. */
export const soundChannel = 'rdpsnd'

const core = 0x4472
const packets = {
  announce: 0x496e,
  confirm: 0x4343,
  clientName: 0x434e,
  serverCapabilities: 0x5350,
  clientCapabilities: 0x4350,
  devices: 0x4441,
  removed: 0x444d,
  reply: 0x6472,
  loggedOn: 0x554c,
  request: 0x4952,
  completion: 0x4943,
} as const
const major = {
  create: 0,
  close: 2,
  read: 3,
  write: 4,
  queryFile: 5,
  setFile: 6,
  queryVolume: 10,
  directory: 12,
  control: 14,
} as const
const minor = { query: 1, notify: 2 } as const
const filesystem = 8
const capability = { general: 1, drive: 4 } as const
/** Of the general capability: devices that go, the client's name for display, the word that somebody signed in. */
const extended = { remove: 1, displayName: 2, loggedOn: 4 } as const
const version = [1, 12] as const

export const statuses = {
  success: 0,
  noMoreFiles: 0x8000_0006,
  unsuccessful: 0xc000_0001,
  invalidHandle: 0xc000_0008,
  invalidParameter: 0xc000_000d,
  noSuchFile: 0xc000_000f,
  accessDenied: 0xc000_0022,
  invalidName: 0xc000_0033,
  collision: 0xc000_0035,
  noResources: 0xc000_009a,
  isDirectory: 0xc000_00ba,
  notSupported: 0xc000_00bb,
  timeout: 0xc000_00b5,
  notEmpty: 0xc000_0101,
  notDirectory: 0xc000_0103,
  cancelled: 0xc000_0120,
} as const

/** What happens when the file of a request is there, and when it is not. */
export const dispositions = ['supersede', 'open', 'create', 'openOrCreate', 'overwrite', 'overwriteOrCreate'] as const
export type Disposition = (typeof dispositions)[number]
const options = { directory: 0x01, noDirectory: 0x40, deleteOnClose: 0x1000 } as const

export type DeviceCommand =
  | { kind: 'create'; path: string; disposition: Disposition; wants: 'directory' | 'file' | 'any'; deleteOnClose: boolean }
  | { kind: 'close' }
  | { kind: 'read'; offset: number; length: number }
  | { kind: 'write'; offset: number; data: Buffer }
  | { kind: 'queryFile'; class: number }
  | { kind: 'queryVolume'; class: number }
  | { kind: 'queryDirectory'; class: number; isFirst: boolean; pattern: string }
  | { kind: 'setSize'; size: number }
  | { kind: 'setDeleted'; isDeleted: boolean }
  | { kind: 'rename'; path: string; replaces: boolean }
  /** Times and attributes, which browsers cannot set, and space that is set aside. */
  | { kind: 'setOther' }
  | { kind: 'control' }
  /** Waits for a change and needs no answer. */
  | { kind: 'notify' }
  | { kind: 'unknown' }
export type DeviceRequest = DeviceCommand & { device: number; file: number; completion: number }

export type DeviceMessage =
  | { kind: 'announce'; clientId: number }
  /** `tellsLogon`: devices are to be announced when somebody has signed in. */
  | { kind: 'capabilities'; tellsLogon: boolean }
  | { kind: 'confirm' }
  | { kind: 'loggedOn' }
  | { kind: 'reply'; device: number; isAccepted: boolean }
  | { kind: 'request'; request: DeviceRequest }
  | { kind: 'other' }

const what = 'message about a directory'

/** Throws ProtocolError. */
export function parseDevice(data: Buffer): DeviceMessage {
  const reader = new RdpReader(data, what)
  if (reader.u16() !== core) return { kind: 'other' }
  switch (reader.u16()) {
    case packets.announce:
      return { kind: 'announce', clientId: reader.skip(4).u32() }
    case packets.serverCapabilities:
      return { kind: 'capabilities', tellsLogon: readsLogon(reader) }
    case packets.confirm:
      return { kind: 'confirm' }
    case packets.loggedOn:
      return { kind: 'loggedOn' }
    case packets.reply:
      return { kind: 'reply', device: reader.u32(), isAccepted: reader.u32() === statuses.success }
    case packets.request:
      return { kind: 'request', request: parseRequest(reader) }
    default:
      return { kind: 'other' }
  }
}

function readsLogon(reader: RdpReader): boolean {
  let count = reader.u16()
  reader.skip(2)
  for (; count > 0 && reader.remaining >= 8; count -= 1) {
    const type = reader.u16()
    const content = new RdpReader(reader.take(Math.max(0, reader.u16() - 4)), what)
    if (type === capability.general) return (content.skip(4 + 8 + 4 + 4 + 4).u32() & extended.loggedOn) !== 0
  }
  return false
}

function parseRequest(reader: RdpReader): DeviceRequest {
  const base = { device: reader.u32(), file: reader.u32(), completion: reader.u32() }
  return { ...base, ...parseCommand(reader.u32(), reader.u32(), reader) }
}

function parseCommand(majorCode: number, minorCode: number, reader: RdpReader): DeviceCommand {
  switch (majorCode) {
    case major.create: {
      const disposition = dispositions[reader.skip(4 + 8 + 4 + 4).u32()]
      const flags = reader.u32()
      const wants = flags & options.directory ? 'directory' : flags & options.noDirectory ? 'file' : 'any'
      const path = readName(reader, reader.u32())
      if (!disposition) return { kind: 'unknown' }
      return { kind: 'create', path, disposition, wants, deleteOnClose: (flags & options.deleteOnClose) !== 0 }
    }
    case major.close:
      return { kind: 'close' }
    case major.read:
      return { kind: 'read', length: reader.u32(), offset: readU64(reader) }
    case major.write: {
      const [length, offset] = [reader.u32(), readU64(reader)]
      return { kind: 'write', offset, data: reader.skip(20).take(length) }
    }
    case major.queryFile:
      return { kind: 'queryFile', class: reader.u32() }
    case major.queryVolume:
      return { kind: 'queryVolume', class: reader.u32() }
    case major.setFile: {
      const fileClass = reader.u32()
      return parseSet(fileClass, new RdpReader(reader.skip(4 + 24).rest(), what))
    }
    case major.directory: {
      if (minorCode === minor.notify) return { kind: 'notify' }
      if (minorCode !== minor.query) return { kind: 'unknown' }
      const [directoryClass, isFirst, length] = [reader.u32(), reader.u8() !== 0, reader.u32()]
      return { kind: 'queryDirectory', class: directoryClass, isFirst, pattern: length > 0 ? readName(reader.skip(23), length) : '' }
    }
    case major.control:
      return { kind: 'control' }
    default:
      return { kind: 'unknown' }
  }
}

function parseSet(fileClass: number, body: RdpReader): DeviceCommand {
  switch (fileClass) {
    case 4: // times and attributes
    case 19: // allocation
      return { kind: 'setOther' }
    case 20:
      return { kind: 'setSize', size: readU64(body) }
    case 13:
      return { kind: 'setDeleted', isDeleted: body.remaining === 0 || body.u8() !== 0 }
    case 10: {
      const replaces = body.u8() !== 0
      return { kind: 'rename', replaces, path: readName(body, body.skip(1).u32()) }
    }
    default:
      return { kind: 'unknown' }
  }
}

const readU64 = (reader: RdpReader): number => reader.u32() + reader.u32() * 0x1_0000_0000

/** Some desktops end names with a zero. */
const readName = (reader: RdpReader, length: number): string => reader.take(length).toString('utf16le').replace(/\0+$/, '')

const message = (packet: number, ...parts: Uint8Array[]): Buffer => Buffer.concat([u16(core, packet), ...parts])

export const encodeDeviceConfirm = (clientId: number): Buffer => message(packets.confirm, u16(...version), u32(clientId))

export function encodeClientName(name: string): Buffer {
  const text = utf16(`${name}\0`)
  return message(packets.clientName, u32(1, 0, text.length), text)
}

/** Directories with names of any length, which may go again; the desktop is to tell when somebody has signed in. */
export function encodeDeviceCapabilities(): Buffer {
  const general = [
    u16(capability.general, 44),
    u32(2, 2, 0),
    u16(...version),
    u32(0xffff, 0, extended.remove | extended.displayName | extended.loggedOn, 0, 0, 0),
  ]
  return message(packets.clientCapabilities, u16(2, 0), ...general, u16(capability.drive, 8), u32(2))
}

export const encodeNoDevices = (): Buffer => message(packets.devices, u32(0))

/** The short name is what desktops without long ones show. */
export function encodeDirectoryDevice(device: number, name: string): Buffer {
  const short = Buffer.alloc(8)
  short.write(
    name
      .normalize('NFKD')
      .replaceAll(/[^\w-]/g, '')
      .slice(0, 7)
      .toUpperCase() || 'SHARED',
    'latin1',
  )
  const long = utf16(`${name.replaceAll(/[\0-\u001f<>:"/\\|?*]/g, '_')}\0`)
  return message(packets.devices, u32(1, filesystem, device), short, u32(long.length), long)
}

export const encodeDeviceRemoval = (device: number): Buffer => message(packets.removed, u32(1, device))

/** What follows the status where there is nothing to tell. */
export function encodeRefusal(request: DeviceRequest, status: number): Buffer {
  const isPadded = request.kind === 'create' || request.kind === 'write' || request.kind === 'queryDirectory'
  return encodeCompletion(request, status, Buffer.alloc(isPadded ? 5 : 4))
}

export const encodeCompletion = (
  { device, completion }: Pick<DeviceRequest, 'device' | 'completion'>,
  status: number,
  ...body: Uint8Array[]
): Buffer => message(packets.completion, u32(device, completion, status), ...body)

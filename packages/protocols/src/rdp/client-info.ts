/** Who signs in, and how: the first message on the picture's channel. It holds the password in the clear, inside of TLS. */
import { u16, u32, utf16 } from './bytes.ts'

export interface ClientInfo {
  domain: string
  user: string
  /** Without one the desktop asks on its own screen. */
  password: string | undefined
}

const infoPacket = 0x0040
const flags = {
  mouse: 0x1,
  disableCtrlAltDel: 0x2,
  autoLogon: 0x8,
  unicode: 0x10,
  maximizeShell: 0x20,
  logonNotify: 0x40,
  windowsKey: 0x100,
  logonErrors: 0x10000,
  noAudio: 0x80000,
} as const
const timeZoneLength = 172
const ipv4 = 2

export function encodeClientInfo({ domain, user, password }: ClientInfo): Buffer {
  const all =
    flags.mouse |
    flags.disableCtrlAltDel |
    flags.unicode |
    flags.maximizeShell |
    flags.logonNotify |
    flags.windowsKey |
    flags.logonErrors |
    flags.noAudio |
    (password === undefined ? 0 : flags.autoLogon)
  const texts = [domain, user, password ?? '', '', ''].map(utf16)
  const zero = u16(0)
  const address = Buffer.concat([utf16('0.0.0.0'), zero])
  const directory = Buffer.concat([utf16('sallyport'), zero])
  return Buffer.concat([
    u16(infoPacket, 0),
    u32(0, all),
    u16(...texts.map(({ length }) => length)),
    ...texts.flatMap((text) => [text, zero]),
    u16(ipv4, address.length),
    address,
    u16(directory.length),
    directory,
    Buffer.alloc(timeZoneLength),
    // Session, and effects that are left out: wallpaper stays.
    u32(0, 0),
    u16(0),
  ])
}

/** One RDP session as its client sees it: pictures come, keys and pointer go, text is shared over the clipboard. */
import type { TLSSocket } from 'node:tls'
import { encodeConfirmActive, parseDemandActive } from '@sallyport/protocols/rdp/capabilities.ts'
import { deviceChannel, soundChannel } from '@sallyport/protocols/rdp/devices.ts'
import { encodeClientInfo } from '@sallyport/protocols/rdp/client-info.ts'
import { clipboardChannel } from '@sallyport/protocols/rdp/clipboard.ts'
import { encodeConnectInitial, parseConnectResponse } from '@sallyport/protocols/rdp/conference.ts'
import { encodeInput, UpdateReader } from '@sallyport/protocols/rdp/fast-path.ts'
import type { InputEvent } from '@sallyport/protocols/rdp/fast-path.ts'
import { PacketCutter } from '@sallyport/protocols/rdp/framing.ts'
import type { RdpPacket } from '@sallyport/protocols/rdp/framing.ts'
import { answerLicence, isLicence } from '@sallyport/protocols/rdp/licence.ts'
import {
  encodeAttachUser,
  encodeDisconnect,
  encodeErectDomain,
  encodeJoinChannel,
  encodeSend,
  parseMcs,
  parseX224Data,
} from '@sallyport/protocols/rdp/mcs.ts'
import type { McsPacket } from '@sallyport/protocols/rdp/mcs.ts'
import { encodeConfirm, encodeFinalization, encodeRefresh, endReason, parseShare } from '@sallyport/protocols/rdp/share.ts'
import { DesktopError } from '../desktop-error.ts'
import type { SharedFiles } from '../shared-files.ts'
import type { ByteSource } from './byte-source.ts'
import { Clipboard } from './clipboard.ts'
import { DeviceChannel } from './device-channel.ts'
import { secure } from './secure.ts'
import type { SecureOptions } from './secure.ts'

export interface RdpOptions extends SecureOptions {
  width: number
  height: number
  /** Of Windows, such as 0x409. */
  keyboardLayout: number
  withClipboard: boolean
  withDirectories: boolean
}

/** What the desktop does. Nothing is called before `run`. */
export interface RdpEvents {
  /** Before the first picture, and when the screen changes its size. */
  onSize: (width: number, height: number) => void
  /** A bitmap update, which is a view of what came. */
  onUpdate: (update: Buffer) => void
  onCopied: (text: string) => void
  /** Resolves when more pictures can be taken. */
  ready: () => Promise<void>
}

/** Bytes written and not sent yet. */
const writtenLimit = 8 * 1024 * 1024
const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

interface Channels {
  user: number
  io: number
  clipboard: number | undefined
  devices: number | undefined
}

/** Rejects with DesktopError or ProtocolError; nothing is left open then. The stream belongs to the session from here on. */
export async function connectRdp(options: RdpOptions): Promise<RdpSession> {
  const { tls, source, protocol } = await secure(options)
  try {
    return await joinConference(options, tls, source, protocol)
  } catch (error) {
    tls.destroy()
    throw error
  }
}

async function joinConference(options: RdpOptions, tls: TLSSocket, source: ByteSource, protocol: number): Promise<RdpSession> {
  const packets = new PacketReader(source)
  const names = [...(options.withClipboard ? [clipboardChannel] : []), ...(options.withDirectories ? [deviceChannel, soundChannel] : [])]
  tls.write(encodeConnectInitial({ ...options, protocol, channels: names }))
  const { ioChannel: io, channels } = parseConnectResponse(parseX224Data((await packets.next()).body))
  tls.write(encodeErectDomain())
  tls.write(encodeAttachUser())
  const { user } = await packets.expect('attached')
  const joined = [user, io, ...channels.slice(0, names.length)]
  for (const channel of joined) {
    tls.write(encodeJoinChannel(user, channel))
    await packets.expect('joined')
  }
  tls.write(encodeSend(user, io, encodeClientInfo(options.credentials)))
  const idOf = (name: string): number | undefined => channels[names.indexOf(name)]
  return new RdpSession(tls, packets, { user, io, clipboard: idOf(clipboardChannel), devices: idOf(deviceChannel) }, options)
}

class PacketReader {
  readonly #source: ByteSource
  readonly #cutter = new PacketCutter()
  #waiting: RdpPacket[] = []

  constructor(source: ByteSource) {
    this.#source = source
  }

  /** Everything that has come; undefined at the end. */
  async all(): Promise<RdpPacket[] | undefined> {
    const waiting = this.#waiting
    this.#waiting = []
    if (waiting.length > 0) return waiting
    const bytes = await this.#source.read()
    return bytes && this.#cutter.push(bytes)
  }

  async next(): Promise<RdpPacket> {
    while (this.#waiting.length === 0) {
      const more = await this.all()
      if (!more) throw new DesktopError('refused', 'The desktop closed the connection while it was set up.')
      this.#waiting = more
    }
    const [first, ...others] = this.#waiting as [RdpPacket, ...RdpPacket[]]
    this.#waiting = others
    return first
  }

  async expect<K extends McsPacket['kind']>(kind: K): Promise<Extract<McsPacket, { kind: K }>> {
    const packet = parseMcs(parseX224Data((await this.next()).body))
    if (packet.kind !== kind) throw new DesktopError('protocol', 'The desktop answers out of turn.')
    return packet as Extract<McsPacket, { kind: K }>
  }
}

export class RdpSession {
  readonly #tls: TLSSocket
  readonly #packets: PacketReader
  readonly #channels: Channels
  readonly #user: string
  readonly #keyboardLayout: number
  readonly #updates = new UpdateReader()
  readonly #clipboard: Clipboard | undefined
  readonly #devices: DeviceChannel | undefined
  #events: RdpEvents | undefined
  #shareId = 0
  #size = { width: 0, height: 0 }
  #isLicensed = false
  #isActive = false
  #reason: string | undefined
  #isClosed = false

  constructor(tls: TLSSocket, packets: PacketReader, channels: Channels, { credentials, keyboardLayout }: RdpOptions) {
    this.#user = credentials.user
    this.#tls = tls
    this.#packets = packets
    this.#channels = channels
    this.#keyboardLayout = keyboardLayout
    const { clipboard, devices, user } = channels
    const sendOn = (channel: number) => (chunk: Buffer) => void this.#tls.write(encodeSend(user, channel, chunk))
    if (clipboard !== undefined)
      this.#clipboard = new Clipboard({ send: sendOn(clipboard), onText: (text) => this.#events?.onCopied(text) })
    if (devices !== undefined)
      this.#devices = new DeviceChannel({ send: sendOn(devices), onFailure: (error) => this.#tls.destroy(toError(error)) })
  }

  /** Resolves with the desktop's last word, if it has one, when the session is over. Rejects with ProtocolError. */
  async run(events: RdpEvents): Promise<string | undefined> {
    this.#events = events
    try {
      for (;;) {
        const packets = await this.#packets.all()
        if (!packets) break
        for (const packet of packets) if (this.#take(packet) === 'end') return this.#reason
        await events.ready()
        if (this.#tls.writableLength > writtenLimit) await this.#written()
      }
    } catch (error) {
      // A connection that breaks once it is closed, or after a last word, tells nothing more.
      if (!this.#isClosed && this.#reason === undefined) throw error
    } finally {
      this.#tls.destroy()
    }
    return this.#reason
  }

  input(event: InputEvent): void {
    if (this.#isActive) this.#tls.write(encodeInput(event))
  }

  /** Text that somebody copied on their own machine. */
  paste(text: string): void {
    this.#clipboard?.offer(text)
  }

  /** Resolves when the desktop has the directory. Rejects with DesktopError when it does not take it. */
  share(name: string, files: SharedFiles): Promise<void> {
    if (!this.#devices) return Promise.reject(new DesktopError('refused', 'The desktop has no channel for directories.'))
    return this.#devices.share(name, files)
  }

  unshare(): void {
    this.#devices?.unshare()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#tls.end(encodeDisconnect())
    // A desktop that does not answer keeps nothing open.
    this.#tls.destroySoon()
  }

  /** Nothing more is read from a desktop that does not take what it asked for. */
  #written(): Promise<void> {
    return new Promise((resolve) => {
      const settle = (): void => {
        this.#tls.off('drain', settle).off('close', settle)
        resolve()
      }
      this.#tls.on('drain', settle).on('close', settle)
    })
  }

  #take({ kind, body }: RdpPacket): 'end' | undefined {
    if (kind === 'fastPath') {
      for (const update of this.#updates.read(body)) if (update.kind === 'bitmap') this.#events?.onUpdate(update.body)
      return undefined
    }
    const packet = parseMcs(parseX224Data(body))
    if (packet.kind === 'disconnect') return 'end'
    if (packet.kind !== 'data') return undefined
    if (packet.channel === this.#channels.clipboard) this.#clipboard?.take(packet.data)
    if (packet.channel === this.#channels.devices) this.#devices?.take(packet.data)
    if (packet.channel !== this.#channels.io) return undefined
    if (this.#isLicensed) return this.#onShare(packet.data)
    if (!isLicence(packet.data)) return this.#onShare(packet.data)
    const answer = answerLicence(packet.data, this.#user)
    if (answer) this.#send(answer)
    this.#isLicensed = !answer
    return undefined
  }

  #onShare(data: Buffer): 'end' | undefined {
    const message = parseShare(data)
    switch (message.kind) {
      case 'demandActive':
        this.#isLicensed = true
        this.#activate(message.body)
        return undefined
      case 'deactivateAll':
        this.#isActive = false
        return undefined
      case 'fontMap':
        this.#isActive = true
        this.#send(encodeRefresh(this.#channels.user, this.#shareId, this.#size.width, this.#size.height))
        return undefined
      case 'update':
        this.#events?.onUpdate(message.body)
        return undefined
      case 'errorInfo':
        this.#reason = endReason(message.code) ?? this.#reason
        return undefined
      case 'redirect':
        throw new DesktopError('refused', 'The desktop sends its people on to another one. Register that one instead.')
      case 'other':
        return undefined
    }
  }

  #activate(body: Buffer): void {
    const demand = parseDemandActive(body)
    const { user } = this.#channels
    this.#shareId = demand.shareId
    this.#size = demand
    this.#send(encodeConfirm(user, encodeConfirmActive(demand, this.#keyboardLayout)))
    for (const message of encodeFinalization(user, demand.shareId)) this.#send(message)
    this.#events?.onSize(demand.width, demand.height)
  }

  #send(message: Buffer): void {
    this.#tls.write(encodeSend(this.#channels.user, this.#channels.io, message))
  }
}

/** The channel on which a desktop is offered directories, one at a time, and takes them away again. */
import { ChannelReader, encodeChannelMessage } from '@sallyport/protocols/rdp/channels.ts'
import {
  encodeClientName,
  encodeDeviceCapabilities,
  encodeDeviceConfirm,
  encodeDeviceRemoval,
  encodeDirectoryDevice,
  encodeNoDevices,
  encodeRefusal,
  parseDevice,
  statuses,
} from '@sallyport/protocols/rdp/devices.ts'
import { DesktopError } from '../desktop-error.ts'
import type { SharedFiles } from '../shared-files.ts'
import { Drive } from './drive.ts'

export interface DeviceChannelOptions {
  send: (chunk: Buffer) => void
  onFailure: (error: unknown) => void
  /** How long a desktop may take to accept a directory, in milliseconds. */
  patience?: number
}

interface Shared {
  device: number
  name: string
  drive: Drive
  settle: (error?: DesktopError) => void
}

/** The largest piece that a desktop writes at once, with what goes around it. */
const messageLimit = 4 * 1024 * 1024 + 1024
const clientName = 'sallyport'

export class DeviceChannel {
  readonly #options: DeviceChannelOptions
  readonly #reader = new ChannelReader(messageLimit)
  #tellsLogon = false
  #isReady = false
  #lastDevice = 0
  #shared: Shared | undefined

  constructor(options: DeviceChannelOptions) {
    this.#options = options
  }

  /** Resolves when the desktop has it. Rejects with DesktopError when it does not take it. One that was shared before goes. */
  share(name: string, files: SharedFiles): Promise<void> {
    this.unshare()
    this.#lastDevice += 1
    const device = this.#lastDevice
    return new Promise((resolve, reject) => {
      const settle = (error?: DesktopError): void => {
        clearTimeout(timer)
        if (!error) return resolve()
        if (this.#shared?.device === device) this.#shared = undefined
        reject(error)
      }
      const tooLate = (): void =>
        settle(
          new DesktopError(
            'refused',
            'The desktop takes no directories. If somebody has to sign in on it first, share it again after that.',
          ),
        )
      const timer = setTimeout(tooLate, this.#options.patience ?? 20_000)
      this.#shared = { device, name, drive: new Drive(name, files, (message) => this.#send(message)), settle }
      if (this.#isReady) this.#offer()
    })
  }

  unshare(): void {
    const { device, settle } = this.#shared ?? {}
    if (device === undefined) return
    this.#shared = undefined
    settle?.(new DesktopError('cancelled', 'The directory is not shared any more.'))
    if (this.#isReady) this.#send(encodeDeviceRemoval(device))
  }

  take(data: Buffer): void {
    const whole = this.#reader.push(data)
    if (!whole) return
    const message = parseDevice(whole)
    switch (message.kind) {
      case 'announce':
        this.#send(encodeDeviceConfirm(message.clientId))
        return this.#send(encodeClientName(clientName))
      case 'capabilities':
        this.#tellsLogon = message.tellsLogon
        return this.#send(encodeDeviceCapabilities())
      case 'confirm':
        if (!this.#tellsLogon) return this.#ready()
        return this.#send(encodeNoDevices())
      case 'loggedOn':
        return this.#ready()
      case 'reply':
        if (message.device !== this.#shared?.device) return
        return this.#shared.settle(message.isAccepted ? undefined : new DesktopError('refused', 'The desktop refuses to take a directory.'))
      case 'request':
        // Of a directory that was taken away.
        if (message.request.device !== this.#shared?.device) return this.#send(encodeRefusal(message.request, statuses.cancelled))
        return void this.#shared.drive.take(message.request).catch((error: unknown) => this.#options.onFailure(error))
      default:
        return
    }
  }

  #ready(): void {
    this.#isReady = true
    if (this.#shared) this.#offer()
  }

  #offer(): void {
    if (this.#shared) this.#send(encodeDirectoryDevice(this.#shared.device, this.#shared.name))
  }

  #send(message: Buffer): void {
    for (const chunk of encodeChannelMessage(message)) this.#options.send(chunk)
  }
}

/** A recording as the proxy streams it: pictures with their time, at a speed, from any moment. */
import { callPath } from '@sallyport/wire/call.ts'
import { desktopPlaybackWire } from '@sallyport/wire/sockets/desktop-playback.ts'
import type { DesktopCommand, DesktopPlaybackFrame } from '@sallyport/wire/sockets/desktop-playback.ts'
import { decodeToConsole } from '@sallyport/wire/sockets/desktop.ts'
import { DesktopCanvas } from '../../parts/desktop-screen/desktop-canvas.ts'
import { createStore } from '../../ui/store.ts'

export interface PlaybackState {
  phase: 'opening' | 'open' | 'ended' | 'failed'
  /** Where the recording is. */
  ms: number
  isPlaying: boolean
  speed: number
  problem?: string
}

export interface DesktopPlaybackOptions {
  origin: string
  clusterId: string
  sid: string
  token: string
  canvas: HTMLCanvasElement
  durationMs: number | undefined
  startAt: number
}

const socketPath = '/v1/webapi/sites/{clusterId}/desktopplayback/{sid}'
/** Between messages the time goes on by itself in steps of so many milliseconds. */
const step = 25
const decoder = new TextDecoder()

export class DesktopPlayback {
  readonly state = createStore<PlaybackState>({ phase: 'opening', ms: 0, isPlaying: true, speed: 1 })
  readonly #socket: WebSocket
  readonly #canvas: DesktopCanvas
  readonly #durationMs: number
  readonly #timer: ReturnType<typeof setInterval>
  /** After a jump, messages from before the place are only painted. */
  #notBefore = 0

  constructor({ origin, clusterId, sid, token, canvas, durationMs, startAt }: DesktopPlaybackOptions) {
    this.#durationMs = durationMs ?? Infinity
    this.#canvas = new DesktopCanvas(canvas, {
      onSize: () => undefined,
      onShown: () => this.state.get().phase === 'opening' && this.#set({ phase: 'open' }),
    })
    const url = new URL(callPath(socketPath, { clusterId, sid }), origin.replace(/^http/, 'ws'))
    url.searchParams.set('access_token', token)
    this.#socket = new WebSocket(url)
    this.#socket.binaryType = 'arraybuffer'
    this.#socket.addEventListener('open', () => startAt > 0 && this.seek(startAt))
    this.#socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.#take(data))
    this.#socket.addEventListener('close', () => this.#fail('The connection failed for an unknown reason.'))
    this.#timer = setInterval(() => this.#tick(), step)
  }

  toggle(): void {
    this.#send({ action: 'play/pause' })
    this.#set({ isPlaying: !this.state.get().isPlaying })
  }

  setSpeed(speed: number): void {
    this.#send({ action: 'speed', speed })
    this.#set({ speed })
  }

  seek(ms: number): void {
    this.#notBefore = ms
    this.#send({ action: 'seek', pos: Math.round(ms) })
    this.#set({ ms })
  }

  close(): void {
    clearInterval(this.#timer)
    this.#canvas.stop()
    this.#set({ phase: 'ended' })
    this.#socket.close(1000)
  }

  #take(data: unknown): void {
    if (!(data instanceof ArrayBuffer)) return
    let frame: DesktopPlaybackFrame
    try {
      frame = desktopPlaybackWire.parse(JSON.parse(decoder.decode(data)))
    } catch {
      return this.#fail('The proxy sent something that is no part of a recording.')
    }
    if (!('ms' in frame)) return frame.message === 'end' ? this.#finish() : this.#fail('errorText' in frame ? frame.errorText : '')
    const { ms, message } = frame
    if (ms >= this.#notBefore) this.#set({ ms })
    try {
      void this.#canvas.take(decodeToConsole(Uint8Array.from(atob(message), (character) => character.charCodeAt(0))))
    } catch {
      // a message of a later time, which is left out of the picture
    }
  }

  #tick(): void {
    const { phase, isPlaying, ms, speed } = this.state.get()
    if (phase !== 'open' || !isPlaying) return
    this.#set({ ms: Math.min(this.#durationMs, ms + step * speed) })
  }

  #finish(): void {
    clearInterval(this.#timer)
    this.#set({ phase: 'ended', isPlaying: false, ...(this.#durationMs !== Infinity && { ms: this.#durationMs }) })
  }

  #fail(problem: string): void {
    const { phase } = this.state.get()
    if (phase === 'ended' || phase === 'failed') return
    clearInterval(this.#timer)
    this.#set({ phase: 'failed', problem })
  }

  #set(change: Partial<PlaybackState>): void {
    this.state.set((now) => ({ ...now, ...change }))
  }

  #send(command: DesktopCommand): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(command))
  }
}

/**
 * The recording of a desktop, streamed at the pace it was recorded. To the client go binary frames of JSON text: one
 * message of the desktop each (sockets/desktop.ts), at last the end or an error. From it come text frames of JSON.
 */
import * as z from 'zod/mini'

export const desktopSpeeds = [0.25, 0.5, 1, 2, 4, 8, 16] as const
export const slowestSpeed = 0.25
export const fastestSpeed = 16

const shownWire = z.object({
  ei: z._default(z.number(), 0),
  event: z.literal('desktop.recording'),
  time: z._default(z.string(), ''),
  /** Base64 of one message. */
  message: z.string(),
  /** Since the session's start. */
  ms: z.number(),
})
const endWire = z.object({ message: z.literal('end') })
const errorWire = z.object({ message: z.literal('error'), errorText: z._default(z.string(), '') })
export const desktopPlaybackWire = z.union([shownWire, endWire, errorWire])
export type DesktopPlaybackFrame = z.output<typeof desktopPlaybackWire>

export const desktopCommandWire = z.union([
  /** Toggles. */
  z.object({ action: z.literal('play/pause') }),
  z.object({ action: z.literal('speed'), speed: z.number() }),
  /** Not known to proxies of the first generation. */
  z.object({ action: z.literal('seek'), pos: z.number() }),
])
export type DesktopCommand = z.output<typeof desktopCommandWire>

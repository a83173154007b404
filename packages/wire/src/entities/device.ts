/** Devices that can prove themselves, so that roles may ask for one of them. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { wireDate } from './wire-date.ts'

export const deviceOsTypes = ['linux', 'macos', 'windows'] as const
export type DeviceOsType = (typeof deviceOsTypes)[number]
/** Those whose keys the command line can keep in a chip. */
export const enrollableOsTypes = ['linux'] as const

const osTitles: Readonly<Record<string, string>> = { linux: 'Linux', macos: 'macOS', windows: 'Windows' } satisfies Record<
  DeviceOsType,
  string
>
export const osTitleOf = (osType: string): string => osTitles[osType] ?? osType

export const assetTagMaxLength = 64
/** It is printed on terminals. */
export const assetTagForm = /^\P{C}+$/u

export const deviceWire = z.object({
  id: z.string(),
  /** Later peers may know more systems. */
  osType: z._default(z.string(), ''),
  assetTag: z._default(z.string(), ''),
  enrollStatus: z._default(z.enum(['enrolled', 'not_enrolled']), 'not_enrolled'),
  /** Who enrolled it, and for whom it proves itself; empty until then. */
  owner: z._default(z.string(), ''),
  /** When it proved itself last; empty: never. */
  lastSeen: z._default(z.string(), ''),
  /** `manual`: an administrator added it. */
  source: z._default(z.string(), 'manual'),
})
export type DeviceWire = z.input<typeof deviceWire>
export const devicesWire = z.object({ items: listOf(deviceWire) })

/** It is told once. */
export const enrollTokenWire = z.object({ token: z.string(), expires: z.string() })

export interface Device {
  id: string
  osType: string
  assetTag: string
  isEnrolled: boolean
  owner: string
  lastSeen: Date | undefined
  source: string
}

export const toDevice = ({ enrollStatus, lastSeen, ...device }: z.output<typeof deviceWire>): Device => ({
  ...device,
  isEnrolled: enrollStatus === 'enrolled',
  lastSeen: wireDate(lastSeen),
})

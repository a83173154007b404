import type { ComponentType } from 'react'

/** An outline icon such as those of lucide-react. */
export type IconType = ComponentType<{
  size?: number | string
  strokeWidth?: number | string
  className?: string
  'aria-hidden'?: boolean | 'true' | 'false'
}>

const strokes = { 12: 3, 14: 2, 16: 1.75, 20: 1.6, 24: 1.6 } as const

/** An icon at one of the sizes of the system, with the stroke that belongs to it. Never the only name of anything. */
export function Icon({ of: Glyph, size = 16, className = '' }: { of: IconType; size?: keyof typeof strokes; className?: string }) {
  return <Glyph size={size} strokeWidth={strokes[size]} className={className} aria-hidden="true" />
}

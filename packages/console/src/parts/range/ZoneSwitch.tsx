import type { Zone } from '../../ui/dates.ts'
import { Segmented } from '../../ui/Segmented.tsx'
import { media, useMedia } from '../../ui/use-media.ts'
import { useSetting } from '../list/use-setting.ts'

const zones = [
  { value: 'utc', label: 'UTC' },
  { value: 'local', label: 'Local' },
] as const

/** The viewer's zone for lists of events; UTC until they choose. */
export function useZone(): [Zone, (zone: Zone) => void] {
  return useSetting<Zone>('zone', ['utc', 'local'], 'utc')
}

/** Which clock the times are shown in. */
export function ZoneSwitch({ zone, onZone }: { zone: Zone; onZone: (zone: Zone) => void }) {
  return <Segmented label="Time zone" segments={zones} value={zone} onValue={onZone} size={useMedia(media.phone) ? 24 : 32} />
}

/** How long a lock holds: presets, and durations as the proxy reads them. */
export const presets = [
  { value: 'never', label: 'Never' },
  { value: '1h', label: 'In 1 hour' },
  { value: '8h', label: 'In 8 hours' },
  { value: '24h', label: 'In 1 day' },
  { value: 'custom', label: 'After…' },
] as const
export type Preset = (typeof presets)[number]['value']

const form = /^(?:\d+(?:\.\d+)?h)?(?:\d+(?:\.\d+)?m)?(?:\d+(?:\.\d+)?s)?$/

/** Why a text is no duration for a lock; undefined when it is one. */
export const whyNotDuration = (text: string): string | undefined =>
  text !== '' && form.test(text) && /[1-9]/.test(text) ? undefined : 'Use a duration like 2h45m'

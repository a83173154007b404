/** How long a lock holds. */
export const presets = [
  { value: 'never', label: 'Never' },
  { value: '1h', label: 'In 1 hour' },
  { value: '8h', label: 'In 8 hours' },
  { value: '24h', label: 'In 1 day' },
  { value: 'custom', label: 'After…' },
] as const
export type Preset = (typeof presets)[number]['value']

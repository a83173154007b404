import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { formatDate } from '../../ui/dates.ts'
import { useTimeLeft } from '../../ui/use-time-left.ts'
import { Select } from '../../ui/Select.tsx'
import { config } from '../../api/page.ts'
import { lifetimes, lifetimeWords } from './links.ts'
import type { AccountLink } from './links.ts'

/** The link, and how long it is good for. */
export function ShareLink({ name, link }: { name: string; link: AccountLink }) {
  const left = useTimeLeft(link.expires)
  return (
    <>
      <p>
        Send this link to <span className="strong">{name}</span> over a way that only they read. Whoever opens it first sets the password.
      </p>
      <CodeBlock text={link.address} copyLabel="Copy link" />
      <p className="muted sm" title={formatDate(link.expires, config.loc.dateTimeFormat)}>
        {left ? `Valid for ${left}, once.` : 'It has expired: make another with “Reset sign-in”.'}
      </p>
    </>
  )
}

export interface LifetimeProps {
  type: 'invite' | 'password'
  hours: number
  onHours: (hours: number) => void
  disabled?: boolean
}

export function Lifetime({ type, hours, onHours, disabled }: LifetimeProps) {
  return (
    <Select
      label="Link is valid for"
      disabled={disabled ?? false}
      options={lifetimes[type].map((one) => ({ value: String(one), label: lifetimeWords(one) }))}
      value={String(hours)}
      onValue={(value) => onHours(Number(value))}
    />
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { recoveryCodes } from '@sallyport/wire/calls/recovery.ts'
import { config } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { isNotFound } from '../../parts/not-found.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDate } from '../../ui/dates.ts'
import { Spinner } from '../../ui/Spinner.tsx'
import styles from './Account.module.css'
import { factorsOff } from './DeviceActions.tsx'
import { NewCodes } from './NewCodes.tsx'
import { useDevices, useOwnFactors } from './use-own-factors.ts'

/** Whether the viewer has recovery codes, and new ones in their place; nothing where the proxy does not tell. */
export function RecoverySection() {
  const query = useQuery(callQuery(recoveryCodes))
  const factors = useOwnFactors(useDevices().rows)
  const [open, setOpen] = useState(false)
  const created = query.data?.created
  const reason =
    config.auth.second_factor === 'off' ? factorsOff : factors?.length === 0 ? 'Add a device first, to prove who you are' : undefined
  if (isNotFound(query.error)) return null
  return (
    <section id="recovery" className={styles['section']} aria-labelledby="recovery-title">
      <div className={styles['head']}>
        <h2 id="recovery-title">Recovery codes</h2>
        <span className="grow" />
        <Button disabled={factors === undefined} disabledReason={reason} onClick={() => setOpen(true)}>
          Generate new codes
        </Button>
      </div>
      {query.isPending ? (
        <Spinner delay="short" label="Reading your recovery codes" />
      ) : query.error ? (
        <LoadError title="Could not read your recovery codes." error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <p className="t2">
          {created === undefined
            ? 'You have none. They open this account when your password or your second factor is lost.'
            : `Created ${formatDate(new Date(created), config.loc.dateTimeFormat)}. They open this account when your password or your second factor is lost.`}
        </p>
      )}
      {open && factors && <NewCodes factors={factors} replaces={created !== undefined} onClose={() => setOpen(false)} />}
    </section>
  )
}

import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { RecoveryCodeList } from './RecoveryCodeList.tsx'
import type { RecoveryCodeListProps } from './RecoveryCodeList.tsx'

/** New recovery codes as a page of their own, which is left once they are stored. */
export function RecoveryCodesCard({ onDone, ...codes }: Omit<RecoveryCodeListProps, 'stored' | 'onStored'> & { onDone: () => void }) {
  const [stored, setStored] = useState(false)
  return (
    <Card
      title="Recovery codes"
      actions={
        <Button kind="primary" disabled={!stored} onClick={onDone}>
          Continue
        </Button>
      }
    >
      <RecoveryCodeList {...codes} stored={stored} onStored={setStored} />
    </Card>
  )
}

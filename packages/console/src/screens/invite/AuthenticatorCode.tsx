import { useState } from 'react'
import type { ResetToken } from '@sallyport/wire/entities/user-token.ts'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import styles from './SetUp.module.css'

/** The picture to scan, and the same secret as text for those who cannot. */
export function AuthenticatorCode({ token }: { token: ResetToken }) {
  const [shown, setShown] = useState(false)
  return (
    <>
      <div className={styles['qr']}>
        <img src={`data:image/png;base64,${token.qrCode}`} width={184} height={184} alt="QR code to scan with your authenticator app" />
        <div className="col">
          <p className="t2">Scan this with your authenticator app, then enter the code that it shows.</p>
          {token.totpSecret !== '' && !shown && (
            <p>
              <Button kind="quiet" size={24} onClick={() => setShown(true)}>
                Can't scan? Show the key
              </Button>
            </p>
          )}
        </div>
      </div>
      {shown && <CodeBlock text={token.totpSecret} copyLabel="Copy key" />}
    </>
  )
}

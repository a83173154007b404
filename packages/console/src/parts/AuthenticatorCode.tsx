import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import styles from './AuthenticatorCode.module.css'

/** The picture to scan, and the same secret as text for those who cannot; empty where the proxy does not tell it. */
export function AuthenticatorCode({ qrCode, secret }: { qrCode: string; secret: string }) {
  const [shown, setShown] = useState(false)
  return (
    <>
      <div className={styles['qr']}>
        <img src={`data:image/png;base64,${qrCode}`} width={184} height={184} alt="QR code to scan with your authenticator app" />
        <div className="col">
          <p className="t2">Scan this with your authenticator app, then enter the code that it shows.</p>
          {secret !== '' && !shown && (
            <p>
              <Button kind="quiet" size={24} onClick={() => setShown(true)}>
                Can't scan? Show the key
              </Button>
            </p>
          )}
        </div>
      </div>
      {shown && <CodeBlock text={secret} copyLabel="Copy key" />}
    </>
  )
}

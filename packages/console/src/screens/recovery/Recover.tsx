import { useState } from 'react'
import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import type { Recovery } from '@sallyport/wire/entities/user-token.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { EntryFooter } from '../../parts/EntryFooter.tsx'
import { usePublicRoute } from '../../parts/public-route.tsx'
import { RecoveryCodesCard } from '../../parts/RecoveryCodesCard.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { EntryCard } from '../../ui/Card.tsx'
import { CodeStep } from './CodeStep.tsx'
import { LostDevices } from './LostDevices.tsx'
import { NewFactorStep } from './NewFactorStep.tsx'
import { NewPasswordStep } from './NewPasswordStep.tsx'
import { ProofStep } from './ProofStep.tsx'
import { devicesOf } from './recovery.ts'
import type { Lost, Started } from './recovery.ts'

type Step =
  | { at: 'code' }
  | { at: 'proof'; started: Started }
  | { at: 'replace'; token: string; devices: MfaDevice[] }
  | { at: 'codes'; codes: readonly string[]; created: Date; devices: MfaDevice[]; token: string }
  | { at: 'devices'; devices: MfaDevice[]; token: string }
  | { at: 'done' }

/** The way back into an account whose password or second factor is lost, for those who have a recovery code. */
export function Recover() {
  const lost: Lost = usePublicRoute().params['lost'] === 'second-factor' ? 'mfa' : 'password'
  const [username, setUsername] = useState('')
  const [step, setStep] = useState<Step>({ at: 'code' })
  if (step.at === 'codes') {
    return (
      <RecoveryCodesCard
        codes={step.codes}
        created={step.created}
        replaces
        onDone={() => setStep(step.devices.length > 0 ? { ...step, at: 'devices' } : { at: 'done' })}
      />
    )
  }
  /** Of a lost second factor the devices that were there before; each of them may be the lost one. */
  const approved = async (token: string): Promise<void> =>
    setStep({ at: 'replace', token, devices: lost === 'mfa' ? await devicesOf(token) : [] })
  const replaced = (devices: MfaDevice[], token: string, { codes, createdDate = new Date() }: Recovery): void =>
    setStep({ at: 'codes', codes, created: createdDate, token, devices })
  return (
    <EntryCard
      title={titles[step.at][lost]}
      lead={step.at === 'code' ? `Get back into ${config.proxyCluster}` : undefined}
      footer={<EntryFooter />}
    >
      {!config.recoveryCodesEnabled ? (
        <>
          <p className="t2">This cluster gives no recovery codes. Ask your administrator for a link to reset how you sign in.</p>
          <a className={buttonClass({ kind: 'quiet', size: 40, wide: true })} href={routePath('login')}>
            Back to sign-in
          </a>
        </>
      ) : step.at === 'code' ? (
        <CodeStep
          lost={lost}
          onStarted={(user, started) => {
            setUsername(user)
            setStep({ at: 'proof', started })
          }}
        />
      ) : step.at === 'proof' ? (
        <ProofStep lost={lost} started={step.started} onToken={approved} />
      ) : step.at === 'replace' ? (
        lost === 'password' ? (
          <NewPasswordStep username={username} token={step.token} onDone={(recovery) => replaced(step.devices, step.token, recovery)} />
        ) : (
          <NewFactorStep token={step.token} onDone={(recovery) => replaced(step.devices, step.token, recovery)} />
        )
      ) : step.at === 'devices' ? (
        <LostDevices token={step.token} devices={step.devices} onDone={() => setStep({ at: 'done' })} />
      ) : (
        <>
          <p className="t2">Everybody who was signed in as you is signed out.</p>
          <a className={buttonClass({ kind: 'primary', size: 40, wide: true })} href={routePath('login')}>
            Sign in
          </a>
        </>
      )}
    </EntryCard>
  )
}

const both = (title: string) => ({ password: title, mfa: title })
const titles = {
  code: { password: 'Forgot your password?', mfa: 'Lost your second factor?' },
  proof: both('Verify it is you'),
  replace: { password: 'Choose a new password', mfa: 'Add a new second factor' },
  devices: both('Which devices are lost?'),
  done: both('Your account is yours again'),
}

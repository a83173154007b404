import { useState } from 'react'
import { primaryAuthType } from '@sallyport/wire/config.ts'
import type { Recovery, ResetToken } from '@sallyport/wire/entities/user-token.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { config } from '../../api/page.ts'
import { EntryFooter } from '../../parts/EntryFooter.tsx'
import { reportSetUp } from '../../parts/report-use.ts'
import { RecoveryCodesCard } from '../../parts/RecoveryCodesCard.tsx'
import { Card, EntryCard } from '../../ui/Card.tsx'
import { FactorStep } from './FactorStep.tsx'
import { PasskeyStep } from './PasskeyStep.tsx'
import { PasswordStep } from './PasswordStep.tsx'
import styles from './SetUp.module.css'
import type { wordsOf } from './words.ts'

type View = 'password' | 'factor' | 'passkey'

/** From the link to a signed-in person: password, then second factor; or a passkey alone. */
export function SetUp({ token, words }: { token: ResetToken; words: ReturnType<typeof wordsOf> }) {
  const { auth } = config
  const steps = auth.second_factor === 'off' ? 1 : 2
  const [view, setView] = useState<View>(primaryAuthType(auth) === 'passwordless' && auth.allowPasswordless ? 'passkey' : 'password')
  const [password, setPassword] = useState('')
  const [recovery, setRecovery] = useState<Recovery>()

  const report = (event: string): void => reportSetUp({ event, username: token.username })
  const reportFactor = (mfaType: string): void =>
    reportSetUp({
      event: 'tp.ui.onboard.registerChallenge.submit',
      username: token.username,
      mfaType,
      loginFlow: words.isReset ? 'reset' : 'invite',
    })
  const done = (result: Recovery): void => {
    if (result.createdDate || result.privateKeyPolicyEnabled) setRecovery(result)
    else enter()
  }
  if (recovery?.createdDate) {
    const next = (): void => {
      report('tp.ui.recoveryCodesContinue.click')
      if (recovery.privateKeyPolicyEnabled) setRecovery({ ...recovery, createdDate: undefined })
      else enter()
    }
    return (
      <RecoveryCodesCard
        codes={recovery.codes}
        created={recovery.createdDate}
        replaces={words.isReset}
        onCopy={() => report('tp.ui.recoveryCodesCopy.click')}
        onPrint={() => report('tp.ui.recoveryCodesPrint.click')}
        onDone={next}
      />
    )
  }
  if (recovery?.privateKeyPolicyEnabled) {
    return (
      <Card title={words.isReset ? 'Sign-in reset' : 'Account ready'}>
        <p className="t2">This cluster wants keys that live on hardware: sign in with the command-line client.</p>
      </Card>
    )
  }
  return (
    <EntryCard title={words.title} lead={`${words.lead} ${config.proxyCluster}.`} footer={<EntryFooter />}>
      {view !== 'passkey' && steps > 1 && <Steps now={view === 'password' ? 1 : 2} of={steps} />}
      {view === 'password' && (
        <PasswordStep
          token={token}
          password={password}
          last={steps === 1}
          onPassword={(chosen) => {
            report('tp.ui.onboard.setCredential.submit')
            setPassword(chosen)
            setView('factor')
          }}
          onDone={done}
          {...(auth.allowPasswordless && { onPasskey: () => setView('passkey') })}
        />
      )}
      {view === 'factor' && (
        <FactorStep token={token} password={password} onSubmit={reportFactor} onBack={() => setView('password')} onDone={done} />
      )}
      {view === 'passkey' && <PasskeyStep token={token} onSubmit={reportFactor} onPassword={() => setView('password')} onDone={done} />}
    </EntryCard>
  )
}

/** The cookie is set: the page is loaded anew, and brings its bearer. */
const enter = (): void => window.location.replace(routePath('root'))

function Steps({ now, of }: { now: number; of: number }) {
  return (
    <p className={styles['steps']}>
      Step {now} of {of}
      <span aria-hidden="true">
        {Array.from({ length: of }, (_, index) => (
          <i key={index} className={styles[index < now ? 'past' : 'open']} />
        ))}
      </span>
    </p>
  )
}

import { Check } from 'lucide-react'
import { useBlock } from '../../parts/use-block.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { AccessStep } from './AccessStep.tsx'
import { DeployStep } from './DeployStep.tsx'
import { FinishStep } from './FinishStep.tsx'
import type { Step } from './kinds.ts'
import { RegisterStep } from './RegisterStep.tsx'
import { ScriptStep } from './ScriptStep.tsx'
import { SelectStep } from './SelectStep.tsx'
import { TestStep } from './TestStep.tsx'
import { TlsStep } from './TlsStep.tsx'
import { useProgress } from './use-address.ts'
import type { Progress } from './use-address.ts'
import styles from './Discover.module.css'

const titles: Record<Step, string> = {
  select: 'Select resource',
  script: 'Configure',
  register: 'Register',
  deploy: 'Deploy agent',
  tls: 'Mutual TLS',
  access: 'Set up access',
  test: 'Test connection',
  finish: 'Finish',
}

/** Enrolling something new, step by step. */
export function Discover() {
  const { acl } = useUserContext()
  const progress = useProgress(acl)
  const { step, steps, tile } = progress
  const { leave } = useBlock(step !== 'select' && step !== 'finish', 'Your place in this enrollment', { unload: false })
  return (
    <div className={styles['frame']}>
      <nav className={styles['rail']} aria-label="Steps">
        <ol>
          {steps.map((one, index) => {
            const done = index < steps.indexOf(step)
            return (
              <li
                key={one}
                className={cx(done && styles['done'], one === step && styles['on'])}
                {...(one === step && { 'aria-current': 'step' })}
              >
                <b aria-hidden="true">{done ? <Icon of={Check} size={14} /> : index + 1}</b>
                <div>
                  <span>{titles[one]}</span>
                  {done && <span className="sr"> (done)</span>}
                  {one === 'select' && done && tile && <small>{tile.name}</small>}
                </div>
              </li>
            )
          })}
        </ol>
      </nav>
      <div className={styles['content']}>
        <p className={styles['where']}>
          Step {steps.indexOf(step) + 1} of {steps.length}: {titles[step]}
        </p>
        <CurrentStep key={step} progress={progress} onLeave={leave} />
      </div>
    </div>
  )
}

function CurrentStep({ progress, onLeave }: { progress: Progress; onLeave: (run: () => void) => void }) {
  const { step, tile, name } = progress
  if (!tile) return <SelectStep progress={progress} />
  if (step === 'script') return <ScriptStep tile={tile} progress={progress} />
  if (step === 'register') return <RegisterStep tile={tile} progress={progress} />
  if (name === undefined) return <SelectStep progress={progress} />
  if (step === 'deploy') return <DeployStep database={name} progress={progress} />
  if (step === 'tls') return <TlsStep database={name} progress={progress} />
  if (step === 'access') return <AccessStep tile={tile} name={name} progress={progress} />
  if (step === 'test') return <TestStep tile={tile} name={name} progress={progress} />
  if (step === 'finish') return <FinishStep tile={tile} name={name} progress={progress} onLeave={onLeave} />
  return <SelectStep progress={progress} />
}

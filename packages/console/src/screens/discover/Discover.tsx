import { Check } from 'lucide-react'
import { useBlock } from '../../parts/use-block.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { AccessStep } from './AccessStep.tsx'
import { FinishStep } from './FinishStep.tsx'
import { ScriptStep } from './ScriptStep.tsx'
import { SelectStep } from './SelectStep.tsx'
import { TestStep } from './TestStep.tsx'
import { steps, useProgress } from './use-address.ts'
import type { Progress, Step } from './use-address.ts'
import styles from './Discover.module.css'

const titles: Record<Step, string> = {
  select: 'Select resource',
  script: 'Configure',
  access: 'Set up access',
  test: 'Test connection',
  finish: 'Finish',
}

/** Enrolling something new, step by step. */
export function Discover() {
  const { acl } = useUserContext()
  const progress = useProgress(acl.tokens.create)
  const { step, tile } = progress
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
  const { step, tile, server } = progress
  if (tile && step === 'script') return <ScriptStep tile={tile} progress={progress} />
  if (tile && server !== undefined && step === 'access') return <AccessStep server={server} progress={progress} />
  if (tile && server !== undefined && step === 'test') return <TestStep server={server} progress={progress} />
  if (tile && server !== undefined && step === 'finish') return <FinishStep server={server} progress={progress} onLeave={onLeave} />
  return <SelectStep progress={progress} />
}

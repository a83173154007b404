import { Download } from 'lucide-react'
import { routePath } from '@sallyport/wire/routes.ts'
import { saveFile } from '../save-file.ts'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import type { Status } from '../../ui/StatusGlyph.tsx'
import styles from './Assist.module.css'

export interface NodeResultProps {
  clusterId: string
  hostname: string
  sid: string
  output: string
  /** Characters that are left out at the beginning. */
  left?: number
  problem: string
  state: 'loading' | 'running' | 'done' | 'stopped'
  exitCode: number | undefined
}

/** What a command printed on one server, and how it ended. */
export function NodeResult({ clusterId, hostname, sid, output, left = 0, problem, state, exitCode }: NodeResultProps) {
  const { status, words } = outcomeOf({ state, problem, exitCode, output })
  return (
    <details className={styles['node']} open={state !== 'done' || exitCode !== 0 || output.length < 4000}>
      <summary>
        {state === 'running' || state === 'loading' ? <Spinner label={words} /> : <StatusGlyph status={status} />}
        <span className={styles['hostname']}>{hostname}</span>
        <span className="muted sm">{words}</span>
      </summary>
      <div className={styles['said']}>
        {problem !== '' && <p className={styles['bad']}>{problem}</p>}
        {left > 0 && <p className="muted sm">{left.toLocaleString('en')} characters before this are in the recording.</p>}
        {output !== '' && (
          <div className={styles['output']}>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it */}
            <pre tabIndex={0} role="region" aria-label={`Output of ${hostname}`}>
              {output}
            </pre>
            <div className={styles['tools']}>
              <CopyButton text={output} label="Copy output" size={24} />
              <IconButton icon={Download} size={24} label="Save output" onClick={() => saveFile(`${hostname}.txt`, 'text/plain', output)} />
            </div>
          </div>
        )}
        {output === '' && problem === '' && state === 'done' && <p className="muted sm">It printed nothing.</p>}
        {state === 'done' && exitCode !== undefined && (
          <a className="sm" href={routePath('player', { clusterId, sid })} target="_blank" rel="noopener">
            Recording
          </a>
        )}
      </div>
    </details>
  )
}

function outcomeOf({ state, problem, exitCode, output }: Pick<NodeResultProps, 'state' | 'problem' | 'exitCode' | 'output'>): {
  status: Status
  words: string
} {
  if (state === 'loading') return { status: 'info', words: 'Reading the recording' }
  if (state === 'running') return { status: 'info', words: 'Running' }
  if (state === 'stopped') return { status: 'off', words: 'Stopped' }
  if (problem !== '' && exitCode === undefined) return { status: 'danger', words: output === '' ? 'Did not run' : 'Cut off' }
  if (exitCode === undefined) return { status: 'off', words: 'Ended' }
  return exitCode === 0 ? { status: 'ok', words: 'exit code 0' } : { status: 'warn', words: `exit code ${exitCode}` }
}

import { Ellipsis, House, LogOut, Play, RotateCcw, Square } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import * as z from 'zod/mini'
import { routePath } from '@sallyport/wire/routes.ts'
import { session as signIn } from '../../api/page.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useRouteParams } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Kbd } from '../../ui/Kbd.tsx'
import { Logo } from '../../ui/Logo.tsx'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { useStore } from '../../ui/store.ts'
import { ResultView, statusOf } from './ResultView.tsx'
import { SqlChallenge } from './SqlChallenge.tsx'
import { SqlEditor } from './SqlEditor.tsx'
import type { SqlEditorHandle } from './SqlEditor.tsx'
import { SqlSession, socketAddress } from './sql-session.ts'
import type { SqlState } from './sql-session.ts'
import styles from './Sql.module.css'

const login = z.object({ user: z.optional(z.string()), name: z.optional(z.string()) })
const phases = {
  connecting: { status: 'info', label: 'Connecting' },
  ready: { status: 'ok', label: 'Connected' },
  running: { status: 'ok', label: 'Running' },
  ended: { status: 'off', label: 'Ended' },
} as const satisfies Record<SqlState['phase'], { status: string; label: string }>

/** Statements and what comes of them, on one database as one of its users. */
export function SqlConsole() {
  const { clusterId, database } = useRouteParams('consoleDatabase')
  const [{ user = '', name = '' }] = useSearchState(login)
  const sql = useMemo(
    () =>
      new SqlSession(
        () => new WebSocket(socketAddress(window.location.origin, { clusterId, database, user, name }, signIn.bearer() ?? '')),
      ),
    [clusterId, database, user, name],
  )
  useEffect(() => {
    sql.connect()
    return () => sql.close()
  }, [sql])
  const state = useStore(sql.state)
  const editor = useRef<SqlEditorHandle>(null)
  /** Where what runs begins in the editor. */
  const from = useRef(0)
  const [chosen, setChosen] = useState<number>()
  const { phase, results, notices, challenge } = state
  const shown = results.find(({ id }) => id === chosen) ?? results.at(-1)
  const failed = results.at(-1)?.state === 'failed' ? results.at(-1)?.problem : undefined
  useEffect(() => {
    editor.current?.setProblem(failed?.at === undefined ? undefined : { at: from.current + failed.at, message: failed.message })
  }, [failed])
  const home = routePath('databases', { clusterId })
  const run = () => {
    const what = editor.current?.chosen()
    if (!what) return
    from.current = what.from
    setChosen(undefined)
    sql.run(what.text)
  }
  const place = `${user}@${name}`
  const isBusy = phase === 'running'
  return (
    <main className={styles['app']}>
      <header className={styles['bar']}>
        <a className={styles['home']} href={home} aria-label="Databases" title="Databases">
          <Logo size={20} />
        </a>
        <h1 className="trunc" tabIndex={-1}>
          {database}
        </h1>
        <span className="mono muted trunc">{place}</span>
        <span className="row" role="status">
          <StatusGlyph status={phases[phase].status} />
          <span className="muted">{shown?.state === 'paused' ? 'Waiting' : phases[phase].label}</span>
        </span>
        {state.transaction !== 'idle' && phase !== 'ended' && (
          <Badge tone={state.transaction === 'failed' ? 'danger' : 'outline'}>
            {state.transaction === 'failed' ? 'Transaction failed: roll back' : 'In a transaction'}
          </Badge>
        )}
        <span className="grow" />
        <span className={cx(styles['server'], styles['wide'], 'muted trunc')}>{state.server}</span>
        <Menu
          label="Menu"
          trigger={<IconButton icon={Ellipsis} size={24} label="Menu" />}
          entries={[
            { label: 'Databases', icon: House, href: home },
            { label: 'Sign out', icon: LogOut, run: () => void signIn.signOut() },
          ]}
        />
      </header>
      <section className={styles['statements']} aria-label="Editor">
        <SqlEditor ref={editor} protocol={state.protocol} onRun={run} />
      </section>
      <div className={styles['tools']}>
        <Button kind="primary" size={24} icon={Play} disabled={phase === 'connecting' || phase === 'ended'} onClick={run}>
          Run
        </Button>
        <Button size={24} icon={Square} disabled={!isBusy} onClick={() => sql.cancel()}>
          Stop
        </Button>
        <span className={cx(styles['wide'], 'muted sm')}>
          <Kbd>Ctrl</Kbd> <Kbd>↵</Kbd> runs what is selected, or everything
        </span>
      </div>
      <section className={styles['results']} aria-label="Results">
        {phase === 'ended' && (
          <Alert
            kind="warn"
            title={state.ended || 'The session has ended.'}
            action={
              <Button size={24} icon={RotateCcw} onClick={() => sql.connect()}>
                Connect again
              </Button>
            }
          />
        )}
        {notices.map((notice, index) => (
          <Alert key={index} kind={notice.severity === 'WARNING' ? 'warn' : 'info'} title={notice.message}>
            {[notice.detail, notice.hint].filter(Boolean).join(' ')}
          </Alert>
        ))}
        {results.length > 1 && (
          <div role="group" aria-label="Statements that ran" className={styles['list']}>
            {results.map((result, index) => (
              <Button key={result.id} size={24} pressed={result === shown} title={result.text} onClick={() => setChosen(result.id)}>
                {index + 1}. {statusOf(result)}
              </Button>
            ))}
          </div>
        )}
        {shown && <ResultView key={shown.id} result={shown} onMore={(rows) => sql.more(rows)} />}
        {state.left > 0 && !isBusy && (
          <p className="muted sm">{state.left === 1 ? '1 statement' : `${state.left} statements`} after it did not run.</p>
        )}
        {!shown && phase !== 'ended' && <p className="muted">What your statements answer appears here. Each is in the audit log.</p>}
      </section>
      {challenge && (
        <SqlChallenge
          challenge={challenge}
          title={place}
          onAnswer={(assertion) => sql.prove(assertion)}
          onCancel={() => sql.refuseProof()}
        />
      )}
    </main>
  )
}

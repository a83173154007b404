import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { beginTest, readTest } from '@sallyport/wire/calls/connectors.ts'
import type { ConnectorTest as Result } from '@sallyport/wire/entities/connector.ts'
import { request } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import type { DocumentState } from '../../parts/document-editor/use-document.ts'
import { withRevision } from '../../parts/documents/revision.ts'
import { useAction } from '../../parts/use-action.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { ValuePill } from '../../ui/LabelPill.tsx'
import { Spinner } from '../../ui/Spinner.tsx'
import styles from './Connectors.module.css'

/** How often the result is asked for while somebody signs in at the provider (ms). */
const pollEvery = 1000

/** A sign-in with the document as it stands, which saves nothing and signs nobody in: it shows what the provider says and what follows. */
export function ConnectorTest({ state }: { state: DocumentState }) {
  const [test, setTest] = useState<{ id: string; address: string; of: string }>()
  const begin = useAction(async () => {
    // Opened while the click still counts, so that the browser does not take it for an unwanted window.
    const tab = window.open('about:blank', '_blank')
    try {
      const content = withRevision({ text: state.text, revision: state.saved.revision })
      const { id, redirect_url: address } = await request(beginTest, { body: { content } })
      // The tab is of this origin until it leaves: nothing but a web address may be opened in it.
      if (!/^https?:$/.test(new URL(address).protocol)) throw new Error('The provider has no web address.')
      setTest({ id, address, of: state.text })
      if (tab) {
        tab.opener = null
        tab.location.replace(address)
      }
    } catch (cause) {
      tab?.close()
      throw cause
    }
  })
  const result = useQuery({
    ...callQuery(readTest, { params: { id: test?.id ?? '' } }),
    enabled: test !== undefined,
    refetchInterval: ({ state: { data, error } }) => (error || (data && data.state !== 'pending') ? false : pollEvery),
  })
  return (
    <section className="col" aria-label="Test">
      <h4>Test before you save</h4>
      <p className="t2 sm">You sign in at the provider in another tab. Nothing is saved and nobody is signed in here.</p>
      <div className="row">
        <Button
          icon={ExternalLink}
          busy={begin.busy}
          disabledReason={state.parses ? undefined : 'Fix the YAML first'}
          onClick={() => begin.start()}
        >
          {test ? 'Test again' : 'Test sign-in'}
        </Button>
      </div>
      {(begin.error ?? result.error) && (
        <Alert kind="danger" title="Could not test.">
          {(begin.error ?? result.error)?.message}
        </Alert>
      )}
      {test && result.data && !begin.busy && (
        <>
          {test.of !== state.text && <p className="muted sm">The connector changed since this test.</p>}
          <Outcome result={result.data} address={test.address} />
        </>
      )}
    </section>
  )
}

function Outcome({ result, address }: { result: Result; address: string }) {
  if (result.state === 'pending')
    return (
      <div className="row">
        <Spinner label="Waiting for the sign-in at the provider" showLabel />
        <a href={address} target="_blank" rel="noopener noreferrer">
          Open it again
        </a>
      </div>
    )
  if (result.state === 'expired')
    return (
      <Alert kind="warn" title="The test took too long.">
        Begin another one.
      </Alert>
    )
  return (
    <>
      {result.state === 'failed' ? (
        <Alert kind="danger" title="The sign-in would fail.">
          {result.error}
        </Alert>
      ) : (
        <Alert kind="ok" title={`${result.user} would be signed in.`} />
      )}
      {result.roles.length > 0 && (
        <div className="row wrap gap1">
          <span className="sm t2">Roles:</span>
          {result.roles.map((role) => (
            <ValuePill key={role}>{role}</ValuePill>
          ))}
        </div>
      )}
      {result.mappings.length > 0 && (
        <Facts
          title="Mappings that matched"
          rows={result.mappings.map(({ claim, value, roles }) => [`${claim}: ${value}`, roles.join(', ')])}
        />
      )}
      <Facts title="What the provider said" rows={Object.entries(result.claims).map(([claim, values]) => [claim, values.join(', ')])} />
    </>
  )
}

function Facts({ title, rows }: { title: string; rows: readonly (readonly [string, string])[] }) {
  if (rows.length === 0) return null
  return (
    <table className={styles['facts']}>
      <caption className="sr">{title}</caption>
      <thead>
        <tr>
          <th colSpan={2} scope="colgroup">
            <span className="sm strong">{title}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={`${name} ${value}`}>
            <th scope="row" className="mono">
              {name}
            </th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

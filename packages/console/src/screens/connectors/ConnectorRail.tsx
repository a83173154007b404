import type { DocumentState } from '../../parts/document-editor/use-document.ts'
import { setAt, textAt, textsAt } from '../../parts/documents/yaml-text.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { callbackField, ownAddresses } from './connector-documents.ts'
import { ConnectorTest } from './ConnectorTest.tsx'
import type { Kind } from './kinds.ts'
import styles from './Connectors.module.css'

/** What the provider has to be told about this cluster, and a sign-in to try the connector as it stands. */
export function ConnectorRail({ kind, state }: { kind: Kind; state: DocumentState }) {
  const { acl } = useUserContext()
  const { document, text } = state
  const { callback, metadata } = ownAddresses(kind, textAt(document, ['metadata', 'name']), window.location.origin)
  const field = ['spec', callbackField[kind]]
  const differs = state.parses && !textsAt(document, field).includes(callback)
  return (
    <>
      <p className="t2">Give these to the provider:</p>
      <Address
        title={kind === 'saml' ? 'Assertion consumer service (ACS)' : kind === 'github' ? 'Authorization callback URL' : 'Redirect URI'}
        text={callback}
      />
      {kind === 'saml' && (
        <>
          <Address
            title="Entity ID"
            text={textAt(document, ['spec', 'service_provider_issuer']) || textAt(document, ['spec', 'acs']) || callback}
          />
          {metadata && <Address title="Metadata, once it is saved" text={metadata} />}
        </>
      )}
      {differs && (
        <Alert
          kind="warn"
          title={`${callbackField[kind]} says something else.`}
          action={
            <Button size={24} onClick={() => state.setText(setAt(text, field, kind === 'oidc' ? [callback] : callback))}>
              Use this address
            </Button>
          }
        >
          People who sign in from here would not come back here.
        </Alert>
      )}
      {acl.authConnectors.create && acl.authConnectors.edit && <ConnectorTest state={state} />}
    </>
  )
}

function Address({ title, text }: { title: string; text: string }) {
  return (
    <div className={styles['address']}>
      <span>{title}</span>
      <CodeBlock text={text} copyLabel={`Copy ${title}`} />
    </div>
  )
}

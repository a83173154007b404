import { useState } from 'react'
import { save } from '@sallyport/wire/calls/tokens.ts'
import { isInstallToken, joinMethods } from '@sallyport/wire/entities/join-token.ts'
import type { JoinTokenItem } from '@sallyport/wire/entities/join-token.ts'
import { defaultJoinMethod } from '@sallyport/wire/limits.ts'
import { wireDate } from '@sallyport/wire/entities/wire-date.ts'
import { request } from '../../api/page.ts'
import { JoinCommand } from '../../parts/JoinCommand.tsx'
import { MakeOnce } from '../../parts/made/MakeOnce.tsx'
import { labelsOf } from '../../parts/typed-labels.ts'
import { tokenName } from '../../parts/validators/documents.ts'
import { labels as whyNotLabels } from '../../parts/validators/labels.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { PickMany } from '../../ui/PickMany.tsx'
import { Select } from '../../ui/Select.tsx'
import { Switch } from '../../ui/Switch.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { methodWords, roleChoices, roleOf, roleWords } from './token-roles.ts'
import { refreshTokens } from './use-tokens.ts'
import styles from './Tokens.module.css'

const lifetimes = [
  { value: '30m', label: '30 minutes' },
  { value: '1h', label: '1 hour' },
  { value: '4h', label: '4 hours' },
  { value: '12h', label: '12 hours' },
  { value: '24h', label: '1 day' },
] as const
type Lifetime = (typeof lifetimes)[number]['value']

const methods = joinMethods.map((value) => ({ value, label: methodWords[value] ?? value }))

export interface NewTokenProps {
  /** Names that are taken. */
  names: ReadonlySet<string>
  /** Goes on as text, where the form knows too little. */
  onYaml: (method: string, roles: readonly string[]) => void
  onClose: () => void
}

/** Makes a secret token and shows what to do with it. */
export function NewToken({ names, onYaml, onClose }: NewTokenProps) {
  const [method, setMethod] = useState<(typeof joinMethods)[number]>(defaultJoinMethod)
  const [roles, setRoles] = useState<readonly string[]>([roleWords('Node')])
  const [ttl, setTtl] = useState<Lifetime>('4h')
  const [isOnce, setOnce] = useState(false)
  const [labels, setLabels] = useState<readonly string[]>([])
  const [name, setName] = useState('')
  const problems = {
    roles: roles.length === 0 ? 'Choose what may join' : undefined,
    labels: whyNotLabels(labels),
    name: name === '' ? undefined : tokenName(name, names),
  }
  const make = async () => {
    const body = {
      name,
      ttl,
      roles: roles.map(roleOf),
      suggested_labels: Object.fromEntries(labelsOf(labels).map((label) => [label.name, label.value])),
      ...(isOnce && { usage_mode: 'single_use' as const }),
    }
    const token = await request(save, { body })
    void refreshTokens()
    return token
  }
  return (
    <MakeOnce
      panel
      title="Create join token"
      action="Create token"
      instead={
        method !== defaultJoinMethod && (
          <Button kind="primary" onClick={() => onYaml(method, roles.map(roleOf))}>
            Continue in YAML
          </Button>
        )
      }
      failed="Could not create the token."
      isReady={method === defaultJoinMethod && Object.values(problems).every((problem) => problem === undefined)}
      make={make}
      show={(token) => ({ title: 'Token created', children: <Made token={token} /> })}
      onClose={onClose}
    >
      {({ busy, checked }) => (
        <div className={styles['form']}>
          <Select label="Join method" options={methods} value={method} disabled={busy} onValue={setMethod} />
          <PickMany
            label="What may join"
            name="roles"
            required
            options={roleChoices}
            values={roles}
            disabled={busy}
            error={checked ? problems.roles : undefined}
            onValues={setRoles}
          />
          {method === defaultJoinMethod ? (
            <>
              <Select label="Good for" options={lifetimes} value={ttl} disabled={busy} onValue={setTtl} />
              <Switch label="For one agent only" checked={isOnce} disabled={busy} onChange={(event) => setOnce(event.target.checked)} />
              <TagsField
                label="Labels"
                help="Everything that joins with the token has them, whatever it says of itself."
                placeholder="env=prod"
                commas
                values={labels}
                disabled={busy}
                error={checked ? problems.labels : undefined}
                onValues={setLabels}
              />
              <TextField
                label="Name"
                mono
                help="The name is the secret. Empty: a random one, which install commands need."
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                data-1p-ignore=""
                value={name}
                disabled={busy}
                error={checked ? problems.name : undefined}
                onChange={(event) => setName(event.target.value.trim())}
              />
            </>
          ) : (
            <Alert kind="info" title="Its rules are written as YAML.">
              The proxy keeps such a token for agents of other makes. Agents of this cluster join with a secret token.
            </Alert>
          )}
        </div>
      )}
    </MakeOnce>
  )
}

function Made({ token }: { token: JoinTokenItem }) {
  return (
    <div className={styles['form']}>
      {isInstallToken(token) && (
        <section className="col gap2" aria-labelledby="made-command">
          <h3 id="made-command">On the server that is to join</h3>
          <JoinCommand token={token.id} expires={wireDate(token.expiry)} />
        </section>
      )}
      <section className="col gap2" aria-labelledby="made-token">
        <h3 id="made-token">The token itself</h3>
        <CodeBlock text={token.id} copyLabel="Copy token" />
        <p className="muted sm">Whoever has it can join as: {token.roles.map(roleWords).join(', ').toLowerCase()}.</p>
      </section>
    </div>
  )
}

import { useId } from 'react'
import type { MailTls, PluginKind } from '@sallyport/wire/entities/plugin.ts'
import type { Form } from '../../parts/use-form.ts'
import { boxClass, describedBy, Field } from '../../ui/Field.tsx'
import { PasswordField } from '../../ui/PasswordField.tsx'
import { Select } from '../../ui/Select.tsx'
import { TextField } from '../../ui/TextField.tsx'
import { usualPorts } from './plugin-draft.ts'
import type { PluginTexts } from './plugin-draft.ts'
import { pluginWords } from './plugin-words.ts'
import styles from './Integrations.module.css'

export const machineField = { mono: true, autoComplete: 'off', autoCapitalize: 'none', spellCheck: false, 'data-1p-ignore': '' } as const

const tlsOptions = [
  { value: 'starttls', label: 'STARTTLS' },
  { value: 'tls', label: 'TLS from the start' },
  { value: 'none', label: 'None, same machine only' },
] as const

export interface ConnectionFieldsProps {
  kind: PluginKind
  form: Form<PluginTexts>
  disabled: boolean
  /** A secret is stored, which stays when none is entered. */
  isStored?: boolean
}

/** Where the service is, and what lets the cluster in. */
export function ConnectionFields({ kind, form, disabled, isStored = false }: ConnectionFieldsProps) {
  const words = pluginWords[kind]
  const text = (name: keyof PluginTexts) => ({ ...machineField, disabled, ...form.field(name) })
  const secret = (
    <PasswordField
      label={words.secret}
      autoComplete="new-password"
      data-1p-ignore=""
      disabled={disabled}
      placeholder={isStored ? 'Stored' : kind === 'slack' ? 'xoxb-…' : undefined}
      help={isStored ? 'Leave it empty to keep the one that is stored.' : undefined}
      {...form.field('secret')}
    />
  )
  if (kind === 'slack') return secret
  if (kind === 'mattermost')
    return (
      <>
        <TextField label="Server address" placeholder="https://chat.example.com" inputMode="url" {...text('url')} />
        {secret}
      </>
    )
  return (
    <>
      <div className={styles['fields']}>
        <TextField label="Mail server" placeholder="smtp.example.com" {...text('host')} />
        <div className={styles['pair']}>
          <Select
            label="Encryption"
            options={tlsOptions}
            value={form.values.tls as MailTls}
            error={form.field('tls').error}
            disabled={disabled}
            onValue={(tls) =>
              form.set({ tls, ...(form.values.port === usualPorts[form.values.tls as MailTls] && { port: usualPorts[tls] }) })
            }
          />
          <TextField label="Port" inputMode="numeric" {...text('port')} />
        </div>
        <TextField label="User name" help="Empty when the server asks for none." {...text('username')} />
        {secret}
      </div>
      <TextField label="Sender" placeholder="sallyport@example.com" inputMode="email" {...text('from')} />
      <AuthorityField form={form} disabled={disabled} />
    </>
  )
}

function AuthorityField({ form, disabled }: Pick<ConnectionFieldsProps, 'form' | 'disabled'>) {
  const id = useId()
  const { value, error, onBlur } = form.field('caCert')
  const texts = { label: 'Certificate authority', help: 'In PEM, when the certificate of the server is signed by one of your own.', error }
  return (
    <Field id={id} {...texts}>
      <div className={boxClass({ multi: true, error: Boolean(error), disabled })}>
        <textarea
          id={id}
          name="caCert"
          className={`mono ${styles['lines']}`}
          rows={2}
          spellCheck={false}
          disabled={disabled}
          value={value}
          placeholder="-----BEGIN CERTIFICATE-----"
          aria-invalid={error ? true : undefined}
          aria-describedby={describedBy(id, texts)}
          onBlur={onBlur}
          onChange={({ target }) => form.set({ caCert: target.value })}
        />
      </div>
    </Field>
  )
}

import { Plus, X } from 'lucide-react'
import { useFormState } from '../../parts/document-editor/form.ts'
import { problemAt } from '../../parts/document-editor/form.ts'
import { FormField, FormFields } from '../../parts/document-editor/FormFields.tsx'
import { FormSection } from '../../parts/document-editor/FormSection.tsx'
import { addTo, keysAt, setAt, setTexts, textsAt } from '../../parts/documents/yaml-text.ts'
import { connectorName } from '../../parts/validators/documents.ts'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { TagsField } from '../../ui/TagsField.tsx'
import { commonFields } from './connector-documents.ts'
import { kindWords } from './kinds.ts'
import type { Kind } from './kinds.ts'
import styles from './Connectors.module.css'

export interface ConnectorFormProps {
  kind: Kind
  isNew: boolean
  /** Names of connectors of this kind. */
  taken: readonly string[]
  /** Roles that exist; undefined when the viewer may not know. */
  roles: readonly string[] | undefined
}

/** The fields that every connector has, and who gets which roles. */
export function ConnectorForm({ kind, isNew, taken, roles }: ConnectorFormProps) {
  return (
    <div className={styles['form']}>
      <FormSection title="Connector" icon={kindWords[kind].icon}>
        <FormField
          field={{
            as: 'text',
            path: ['metadata', 'name'],
            label: 'Name',
            required: true,
            fixed: !isNew,
            whyNot: (text) => connectorName(text, taken),
            ...(isNew && kind === 'saml' && { help: 'It is part of the ACS address' }),
          }}
        />
        <FormFields fields={commonFields[kind]} />
      </FormSection>
      <Mappings kind={kind} roles={roles} />
    </div>
  )
}

function Mappings({ kind, roles }: Pick<ConnectorFormProps, 'kind' | 'roles'>) {
  const form = useFormState()
  const { document, text, setText, readOnly } = form
  const { field, parts, title } = kindWords[kind].mappings
  const path = ['spec', field]
  return (
    <FormSection title={title} note="people without a match cannot sign in">
      {keysAt(document, path).map((index) => {
        const at = [...path, index]
        const given = textsAt(document, [...at, 'roles'])
        const unknown = roles && given.find((role) => !roles.includes(role) && !role.includes('$'))
        return (
          <div key={index} className={styles['mapping']} role="group" aria-label={`Mapping ${Number(index) + 1}`}>
            {parts.map(({ name, label }) => (
              <FormField key={name} field={{ as: 'text', mono: true, path: [...at, name], label }} />
            ))}
            <TagsField
              label="Roles"
              values={given}
              suggestions={roles}
              disabled={readOnly}
              error={problemAt(form, [...at, 'roles']) ?? (unknown ? `There is no role ${unknown}` : undefined)}
              onValues={(next) => setText(setTexts(text, [...at, 'roles'], next))}
            />
            {!readOnly && (
              <IconButton
                icon={X}
                size={24}
                label={`Remove mapping ${Number(index) + 1}`}
                onClick={() => setText(setAt(text, at, undefined))}
              />
            )}
          </div>
        )
      })}
      {!readOnly && (
        <Button
          kind="quiet"
          size={24}
          icon={Plus}
          className={styles['add']}
          onClick={() => setText(addTo(text, path, { ...Object.fromEntries(parts.map(({ name }) => [name, ''])), roles: [] }))}
        >
          Add mapping
        </Button>
      )}
    </FormSection>
  )
}

import { Plus } from 'lucide-react'
import { ExpressionField } from '../../parts/expression/ExpressionField.tsx'
import { whereWords } from '../../parts/expression/where-words.ts'
import { problemAt, useFormState } from '../../parts/document-editor/form.ts'
import { FormField } from '../../parts/document-editor/FormFields.tsx'
import { FormSection } from '../../parts/document-editor/FormSection.tsx'
import { addTo, keysAt, setAt, textAt } from '../../parts/documents/yaml-text.ts'
import { Button } from '../../ui/Button.tsx'
import { ruleOffers } from './role-form.ts'
import type { Side } from './role-form.ts'
import styles from './Roles.module.css'

/** What may be done with the cluster itself. */
export function RuleRows({ side }: { side: Side }) {
  const form = useFormState()
  const { document, text, setText, readOnly } = form
  const path = ['spec', side, 'rules']
  const rules = keysAt(document, path)
  return (
    <>
      {rules.length === 0 && (
        <p className="t2 sm">
          {side === 'allow'
            ? 'No rules: this role changes and lists nothing of the cluster itself.'
            : 'No rules: nothing is forbidden to whoever holds this role.'}
        </p>
      )}
      {rules.map((index) => {
        const at = [...path, index]
        const where = [...at, 'where']
        return (
          <FormSection
            key={index}
            title={`Rule ${Number(index) + 1}`}
            onRemove={readOnly ? undefined : () => setText(setAt(text, at, undefined))}
          >
            <FormField
              field={{ as: 'texts', path: [...at, 'resources'], label: 'Resources', suggestions: ruleOffers.resources, required: true }}
            />
            <FormField field={{ as: 'texts', path: [...at, 'verbs'], label: 'Verbs', suggestions: ruleOffers.verbs, required: true }} />
            <ExpressionField
              label="Where"
              help="Only where this is true; empty: always"
              words={whereWords}
              value={textAt(document, where)}
              error={problemAt(form, where)}
              disabled={readOnly}
              onValue={(next) => setText(setAt(text, where, next === '' ? undefined : next))}
            />
          </FormSection>
        )
      })}
      {!readOnly && (
        <Button icon={Plus} wide className={styles['add']} onClick={() => setText(addTo(text, path, { resources: [], verbs: [] }))}>
          Add rule
        </Button>
      )}
    </>
  )
}

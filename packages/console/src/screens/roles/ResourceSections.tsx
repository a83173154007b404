import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useFormState } from '../../parts/document-editor/form.ts'
import { FormField, FormFields } from '../../parts/document-editor/FormFields.tsx'
import { FormSection } from '../../parts/document-editor/FormSection.tsx'
import { kubernetesKinds } from '../../parts/documents/role-shape.ts'
import { addTo, keysAt, setAt, textAt, valueAt } from '../../parts/documents/yaml-text.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { fieldOf, resourceSections } from './role-form.ts'
import type { ResourceSection, Side } from './role-form.ts'
import styles from './Roles.module.css'

/** Fields without which a section is still understood; shown once they hold something. */
const rare = /_expression$|^host_|^desktop_groups$|^db_service_labels$|^(azure|gcp)_/

/** What the role reaches, one box for each kind that it names. */
export function ResourceSections({ side }: { side: Side }) {
  const form = useFormState()
  const { document, text, setText, readOnly } = form
  const [opened, setOpened] = useState<readonly string[]>([])
  const [whole, setWhole] = useState<readonly string[]>([])
  const names = ({ id, parts }: ResourceSection) => [
    ...parts.map(({ name }) => name),
    ...(id === 'kubernetes' ? ['kubernetes_resources'] : []),
  ]
  const held = (name: string) => valueAt(document, ['spec', side, name]) !== undefined
  const isShown = (section: ResourceSection) => opened.includes(section.id) || names(section).some(held)
  const missing = resourceSections.filter((section) => !isShown(section))
  const remove = (section: ResourceSection) => {
    setOpened(opened.filter((id) => id !== section.id))
    setText(names(section).reduce((now, name) => setAt(now, ['spec', side, name], undefined), text))
  }
  return (
    <>
      {side === 'deny' && (
        <p className="t2 sm">Whoever holds this role never reaches what is named here, whatever their other roles allow.</p>
      )}
      {resourceSections.filter(isShown).map((section) => {
        const parts = section.parts.filter(({ name }) => whole.includes(section.id) || !rare.test(name) || held(name))
        return (
          <FormSection key={section.id} title={section.title} icon={section.icon} onRemove={readOnly ? undefined : () => remove(section)}>
            <FormFields fields={parts.map((part) => fieldOf(side, part))} />
            {section.id === 'kubernetes' && <KubernetesResources side={side} />}
            {side === 'allow' && section.id === 'servers' && textAt(document, ['spec', side, 'node_labels', '*']) === '*' && (
              <Alert kind="warn" live={false}>
                Every server, also those that are added later.
              </Alert>
            )}
            {parts.length < section.parts.length && !readOnly && (
              <Button kind="quiet" size={24} icon={Plus} className={styles['side']} onClick={() => setWhole([...whole, section.id])}>
                More fields
              </Button>
            )}
          </FormSection>
        )
      })}
      {missing.length > 0 && !readOnly && (
        <Menu
          align="start"
          label="Add resources"
          trigger={
            <Button icon={Plus} wide className={styles['add']}>
              Add{' '}
              {missing
                .map(({ noun }) => noun)
                .slice(0, 3)
                .join(', ')}
              {missing.length > 3 && '…'}
            </Button>
          }
          entries={missing.map(({ id, title, icon }) => ({ label: title, icon, run: () => setOpened([...opened, id]) }))}
        />
      )}
    </>
  )
}

const kindChoices = kubernetesKinds.map((value) => ({ value, label: value }))

/** Which objects inside the clusters: kind, namespace, name, verbs. */
function KubernetesResources({ side }: { side: Side }) {
  const { document, text, setText, readOnly } = useFormState()
  const path = ['spec', side, 'kubernetes_resources']
  return (
    <div className="col">
      <span className="sm t2 strong">Objects in the clusters</span>
      {keysAt(document, path).map((index) => {
        const at = [...path, index]
        return (
          <div key={index} className={styles['objects']}>
            <FormField field={{ as: 'choice', path: [...at, 'kind'], label: 'Kind', usual: 'Choose…', choices: kindChoices }} />
            <FormField field={{ as: 'text', mono: true, path: [...at, 'namespace'], label: 'Namespace' }} />
            <FormField field={{ as: 'text', mono: true, path: [...at, 'name'], label: 'Name' }} />
            <FormField field={{ as: 'texts', path: [...at, 'verbs'], label: 'Verbs', suggestions: ['*', 'get', 'list', 'exec'] }} />
            {!readOnly && <IconButton icon={X} size={24} label="Remove object" onClick={() => setText(setAt(text, at, undefined))} />}
          </div>
        )
      })}
      {!readOnly && (
        <Button
          kind="quiet"
          size={24}
          icon={Plus}
          className={styles['side']}
          onClick={() => setText(addTo(text, path, { kind: 'pod', namespace: '*', name: '*', verbs: ['*'] }))}
        >
          Add object
        </Button>
      )}
    </div>
  )
}

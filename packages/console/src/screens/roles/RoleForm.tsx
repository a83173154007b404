import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { DocumentState } from '../../parts/document-editor/use-document.ts'
import { FormField, FormFields } from '../../parts/document-editor/FormFields.tsx'
import { FormSection } from '../../parts/document-editor/FormSection.tsx'
import { useSetting } from '../../parts/list/use-setting.ts'
import { keysAt } from '../../parts/documents/yaml-text.ts'
import { roleName } from '../../parts/validators/documents.ts'
import { Button } from '../../ui/Button.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { aboutFields, optionGroups, requestGroups, resourceSections, tabOf } from './role-form.ts'
import type { Side, TabName } from './role-form.ts'
import { ResourceSections } from './ResourceSections.tsx'
import { RuleRows } from './RuleRows.tsx'
import styles from './Roles.module.css'

const titles: Record<TabName, string> = {
  role: 'Role',
  resources: 'Resources',
  rules: 'Admin rules',
  options: 'Options',
  requests: 'Requests',
}
const tabNames = Object.keys(titles) as TabName[]
const versions = ['v3', 'v4', 'v5', 'v6', 'v7'].map((value) => ({ value, label: value }))

export interface RoleFormProps {
  state: DocumentState
  /** Names that a new role cannot have. */
  taken: readonly string[]
  isNew: boolean
  /** The text as every cluster starts with it. */
  preset: string | undefined
  readOnly: boolean
}

/** The role as a form; the tabs count what is wrong inside. */
export function RoleForm({ state, taken, isNew, preset, readOnly }: RoleFormProps) {
  const [remembered, remember] = useSetting('roleTab', tabNames, 'role')
  const [tab, setTab] = useState<TabName>(isNew ? 'role' : remembered)
  const go = (next: TabName | undefined) => {
    if (next === undefined) return
    setTab(next)
    remember(next)
  }
  const at = tabNames.indexOf(tab)
  const [side, setSide] = useState<Side>('allow')
  const name = String(state.document.getIn(['metadata', 'name']) ?? '')
  const contents: Record<TabName, ReactNode> = {
    role: (
      <>
        <FormField
          field={{
            as: 'text',
            path: ['metadata', 'name'],
            label: 'Name',
            required: true,
            fixed: !isNew,
            whyNot: (text) => roleName(text, taken),
            ...(!isNew && { help: 'To rename it, duplicate it under the new name' }),
          }}
        />
        <FormFields fields={aboutFields} />
        <FormField field={{ as: 'choice', path: ['version'], label: 'Version of the format', usual: 'Newest', choices: versions }} />
        {preset !== undefined && !readOnly && (
          <div>
            <Button
              icon={RotateCcw}
              disabledReason={preset === state.text ? 'It is as every cluster starts with it' : undefined}
              onClick={() => state.setText(preset)}
            >
              Put the preset back
            </Button>
          </div>
        )}
      </>
    ),
    resources: (
      <>
        <SideSwitch state={state} side={side} onSide={setSide} of="resources" />
        <ResourceSections key={side} side={side} />
      </>
    ),
    rules: (
      <>
        <SideSwitch state={state} side={side} onSide={setSide} of="rules" />
        <RuleRows side={side} />
      </>
    ),
    options: <FieldGroups groups={optionGroups} />,
    requests: <FieldGroups groups={requestGroups} />,
  }
  return (
    <div className={styles['tabs']}>
      <Tabs
        label="Parts of the role"
        value={tab}
        onValue={go}
        tabs={tabNames.map((value) => {
          const errors = state.problems.filter(
            ({ path, severity }) => severity === 'error' && path.length > 0 && tabOf(path) === value,
          ).length
          const missing = value === 'role' && name === '' ? 1 : 0
          return { value, label: titles[value], content: contents[value], ...(errors + missing > 0 && { errors: errors + missing }) }
        })}
      />
      {isNew && (
        <footer className={styles['steps']}>
          <Button disabled={at === 0} onClick={() => go(tabNames[at - 1])}>
            Back
          </Button>
          <Button disabled={at === tabNames.length - 1} onClick={() => go(tabNames[at + 1])}>
            Next
          </Button>
        </footer>
      )}
    </div>
  )
}

function FieldGroups({ groups }: { groups: typeof optionGroups }) {
  return groups.map(({ title, fields }) => (
    <FormSection key={title} title={title}>
      <div className={styles['two']}>
        <FormFields fields={fields} />
      </div>
    </FormSection>
  ))
}

/** Allow or deny, with how much the other side holds. */
function SideSwitch({
  state,
  side,
  onSide,
  of,
}: {
  state: DocumentState
  side: Side
  onSide: (side: Side) => void
  of: 'resources' | 'rules'
}) {
  const names: readonly string[] =
    of === 'rules' ? ['rules'] : resourceSections.flatMap(({ parts }) => parts.map(({ name }) => name)).concat('kubernetes_resources')
  const count = (of_: Side) => {
    const keys = keysAt(state.document, ['spec', of_]).filter((key) => names.includes(String(key)))
    return of === 'rules' ? keysAt(state.document, ['spec', of_, 'rules']).length : keys.length
  }
  const label = (of_: Side, word: string) => (count(of_) > 0 ? `${word} ${count(of_)}` : word)
  return (
    <Segmented
      label="Side"
      size={24}
      className={styles['side'] ?? ''}
      value={side}
      onValue={onSide}
      segments={[
        { value: 'allow', label: label('allow', 'Allow') },
        { value: 'deny', label: label('deny', 'Deny') },
      ]}
    />
  )
}

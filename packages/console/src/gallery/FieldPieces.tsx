import { KeyRound, Smartphone } from 'lucide-react'
import { useState } from 'react'
import { Checkbox } from '../ui/Checkbox.tsx'
import { CodeField } from '../ui/CodeField.tsx'
import { PickMany } from '../ui/PickMany.tsx'
import { PasswordField } from '../ui/PasswordField.tsx'
import { RadioGroup } from '../ui/RadioGroup.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Select } from '../ui/Select.tsx'
import { SuggestField } from '../ui/SuggestField.tsx'
import { Switch } from '../ui/Switch.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { TagsField } from '../ui/TagsField.tsx'
import { TextField } from '../ui/TextField.tsx'
import { Group, Section } from './Section.tsx'
import styles from './Gallery.module.css'

const factors = [
  { value: 'app', label: 'Authenticator app' },
  { value: 'key', label: 'Security key' },
  { value: 'none', label: 'None', disabled: true },
] as const

/** Fields and choices. */
export function FieldPieces() {
  const [factor, setFactor] = useState<string>('app')
  const [code, setCode] = useState('123456')
  const [search, setSearch] = useState('')
  const [view, setView] = useState<string>('form')
  const [speed, setSpeed] = useState<string>('2')
  const [roles, setRoles] = useState(['auditor'])
  const [key, setKey] = useState('')
  const [tab, setTab] = useState<string>('search')
  const [tags, setTags] = useState(['root', '{{internal.logins}}'])
  return (
    <Section title="Fields" note="Label above, help or error below. Border is always 3:1.">
      <div className={styles['fields']}>
        <TextField label="Rest" required defaultValue="payments-oncall" help="Lowercase, up to 255" />
        <TextField label="Empty" placeholder="Name" />
        <TextField label="Machine value" mono defaultValue="10.42.118.207:3022" />
        <TextField label="Error" defaultValue="payments oncall" error="Use letters, digits and dashes" />
        <TextField label="Disabled" defaultValue="payments-oncall" disabled />
        <Select label="Select" options={factors} value={factor} onValue={setFactor} />
        <PickMany label="Several of a list" options={['access', 'auditor', 'editor']} values={roles} onValues={setRoles} />
        <SuggestField label="Typed or suggested" suggestions={['logins', 'db_names']} value={key} onValue={setKey} />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          defaultValue="correct horse"
          aside={<a href="#forgot">Forgot password?</a>}
        />
        <CodeField label="One-time code" value={code} onValue={setCode} />
        <TagsField label="Several values" values={tags} onValues={setTags} suggestions={['ubuntu', 'ec2-user']} />
        <TextField label="40 px, in cards and on touch" size={40} defaultValue="margarethe.oyelaran" />
      </div>
      <Group title="Search" wide>
        <SearchField label="Search the gallery" value={search} onValue={setSearch} />
      </Group>
      <Group title="Checkbox, switch">
        <Checkbox label="Off" />
        <Checkbox label="On" defaultChecked />
        <Checkbox label="Mixed" mixed />
        <Checkbox label="Disabled" disabled />
        <Switch label="Off" />
        <Switch label="On" defaultChecked />
        <Switch label="Disabled" disabled />
      </Group>
      <RadioGroup label="Radio" options={factors} value={factor} onValue={setFactor} />
      <Group title="Segmented">
        <Segmented
          label="View"
          segments={[
            { value: 'form', label: 'Form' },
            { value: 'yaml', label: 'YAML' },
          ]}
          value={view}
          onValue={setView}
        />
        <Segmented
          label="Speed"
          size={24}
          segments={['1', '2', '4'].map((value) => ({ value, label: `${value}×` }))}
          value={speed}
          onValue={setSpeed}
        />
        <Segmented
          label="Second factor"
          segments={[
            { value: 'form', label: 'Security key', icon: KeyRound },
            { value: 'yaml', label: 'Authenticator app', icon: Smartphone },
          ]}
          value={view}
          onValue={setView}
        />
      </Group>
      <Group title="Tabs" wide>
        <Tabs
          label="Tabs"
          value={tab}
          onValue={setTab}
          tabs={[
            { value: 'search', label: 'Search', content: 'Find in the output.' },
            { value: 'commands', label: 'Commands', count: 13, content: 'Thirteen commands.' },
            { value: 'details', label: 'Details', errors: 2, content: 'Who and where.' },
          ]}
        />
      </Group>
    </Section>
  )
}

import { useState } from 'react'
import { withoutRevision } from '../../parts/documents/revision.ts'
import { YamlDiff } from '../../parts/yaml-editor/YamlDiff.tsx'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Select } from '../../ui/Select.tsx'
import type { RoleRow } from './use-roles.ts'

/** What one role has that another has not. */
export function CompareRoles({ name, rows, onClose }: { name: string; rows: readonly RoleRow[]; onClose: () => void }) {
  const others = rows.filter(({ role }) => role.name !== name)
  const [other, setOther] = useState(others[0]?.role.name)
  const textOf = (wanted: string | undefined) => withoutRevision(rows.find(({ role }) => role.name === wanted)?.role.content ?? '').text
  return (
    <Dialog open width={700} title={`Compare ${name}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <Select
        label="With"
        options={others.map(({ role }) => ({ value: role.name, label: role.name }))}
        value={other}
        placeholder="There is no other role"
        onValue={setOther}
      />
      {other !== undefined && (
        <>
          <p className="sm t2">
            Red lines are in <span className="mono">{other}</span> only, green ones in <span className="mono">{name}</span> only.
          </p>
          <YamlDiff before={textOf(other)} after={textOf(name)} label={`${other} against ${name}`} />
        </>
      )}
    </Dialog>
  )
}

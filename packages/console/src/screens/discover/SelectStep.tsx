import { useRef, useState } from 'react'
import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Toolbar } from '../../ui/PageHead.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Select } from '../../ui/Select.tsx'
import { Tile } from '../../ui/Tile.tsx'
import { useListKeys } from '../../ui/use-list-keys.ts'
import { filterTiles, missingRule, tiles } from './tiles.ts'
import type { KindFilter } from './tiles.ts'
import type { Progress } from './use-address.ts'
import styles from './Discover.module.css'

const filters: readonly { value: KindFilter; label: string }[] = [
  { value: 'all', label: 'All types' },
  { value: 'server', label: 'Servers' },
  { value: 'application', label: 'Applications' },
  { value: 'database', label: 'Databases' },
  { value: 'kubernetes', label: 'Kubernetes' },
  { value: 'desktop', label: 'Desktops' },
]
const rule = 'token: create'

/** What to enroll. */
export function SelectStep({ progress: { kind, choose, show } }: { progress: Progress }) {
  const { acl } = useUserContext()
  const [text, setText] = useState('')
  const filter = filters.find(({ value }) => value === kind)?.value ?? 'all'
  const shown = filterTiles(tiles, { text, kind: filter })
  const list = useRef<HTMLUListElement>(null)
  useListKeys(list, shown.length, (index) => {
    const tile = shown[index]
    if (tile && missingRule(tile, acl) === undefined) choose(tile)
  })
  return (
    <>
      <div className={styles['head']}>
        <FocusedHeading>What do you want to reach?</FocusedHeading>
      </div>
      {!acl.tokens.create && (
        <div className={styles['head']}>
          <Alert kind="info" title="You need permission to create join tokens." live={false}>
            Ask for <span className="mono">{rule}</span> <CopyButton text={rule} label="Copy rule" />
          </Alert>
        </div>
      )}
      <Toolbar>
        <SearchField label="Search resources" placeholder={`Search ${tiles.length} resources…`} value={text} onValue={setText} />
        <Select bar label="Resource type" options={filters} value={filter} onValue={(next) => show(next === 'all' ? undefined : next)} />
      </Toolbar>
      {shown.length === 0 ? (
        <EmptyState
          plain
          title="Nothing matches"
          actions={
            <Button
              onClick={() => {
                setText('')
                show(undefined)
              }}
            >
              Clear filters
            </Button>
          }
        >
          No resource has all of these words.
        </EmptyState>
      ) : (
        <ul ref={list} className={styles['tiles']} aria-label="Resources">
          {shown.map((tile, index) => {
            const missing = missingRule(tile, acl)
            return (
              <li key={tile.id}>
                <Tile
                  data-index={index}
                  mark={tile.mark}
                  over={tile.hosting}
                  name={tile.name}
                  disabled={missing !== undefined}
                  onClick={() => choose(tile)}
                  // What all of them need stands above them once.
                  end={acl.tokens.create && missing !== undefined && <Badge tone="outline">Needs {missing}</Badge>}
                />
              </li>
            )
          })}
        </ul>
      )}
    </>
  )
}

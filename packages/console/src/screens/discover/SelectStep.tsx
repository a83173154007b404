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
import { Segmented } from '../../ui/Segmented.tsx'
import { useListKeys } from '../../ui/use-list-keys.ts'
import { filterTiles, tiles } from './tiles.ts'
import type { HowFilter, Tile } from './tiles.ts'
import type { Progress } from './use-address.ts'
import styles from './Discover.module.css'

const ways = [
  { value: 'all', label: 'All' },
  { value: 'install-node', label: 'With agent' },
  { value: 'install-openssh', label: 'Without agent' },
] as const
const rule = 'token: create'

/** What to enroll. */
export function SelectStep({ progress: { kind, choose } }: { progress: Progress }) {
  const { acl } = useUserContext()
  const [text, setText] = useState('')
  const [how, setHow] = useState<HowFilter>('all')
  const ofKind = tiles.some((tile) => tile.kind === kind) ? tiles.filter((tile) => tile.kind === kind) : tiles
  const shown = filterTiles(ofKind, { text, how })
  const list = useRef<HTMLUListElement>(null)
  useListKeys(list, shown.length, (index) => {
    const tile = shown[index]
    if (tile && acl.tokens.create) choose(tile)
  })
  return (
    <>
      <div className={styles['head']}>
        <FocusedHeading>What do you want to reach?</FocusedHeading>
      </div>
      {!acl.tokens.create && (
        <Alert kind="info" title="You need permission to create join tokens." live={false}>
          Ask for <span className="mono">{rule}</span> <CopyButton text={rule} label="Copy rule" />
        </Alert>
      )}
      <Toolbar>
        <SearchField label="Search resources" placeholder={`Search ${ofKind.length} resources…`} value={text} onValue={setText} />
        <Segmented label="How it joins" segments={ways} value={how} onValue={setHow} />
      </Toolbar>
      {shown.length === 0 ? (
        <EmptyState
          plain
          title="Nothing matches"
          actions={
            <Button
              onClick={() => {
                setText('')
                setHow('all')
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
          {shown.map((tile, index) => (
            <li key={tile.id}>
              <TileButton tile={tile} index={index} disabled={!acl.tokens.create} onChoose={() => choose(tile)} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function TileButton({ tile, index, disabled, onChoose }: { tile: Tile; index: number; disabled: boolean; onChoose: () => void }) {
  return (
    <button type="button" data-index={index} className={styles['tile']} disabled={disabled} onClick={onChoose}>
      <span className={styles['mark']} aria-hidden="true">
        {tile.mark}
      </span>
      <span className="grow">
        <small>{tile.hosting}</small>
        <span>{tile.name}</span>
      </span>
      {disabled && <Badge tone="outline">Needs {rule}</Badge>}
    </button>
  )
}

import { RefreshCw } from 'lucide-react'
import { useDraft } from '../../parts/list/use-draft.ts'
import { RangePicker } from '../../parts/range/RangePicker.tsx'
import { useRange } from '../../parts/range/use-range.ts'
import { useZone, ZoneSwitch } from '../../parts/range/ZoneSwitch.tsx'
import { useClusterId } from '../../parts/use-route.ts'
import { useSearchState } from '../../parts/use-search.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { PageHead, Toolbar } from '../../ui/PageHead.tsx'
import { SearchField } from '../../ui/SearchField.tsx'
import { Segmented } from '../../ui/Segmented.tsx'
import { OutputHits } from './OutputHits.tsx'
import { RecordingList } from './RecordingList.tsx'
import { recordingsSearch } from './recordings-view.ts'
import { useOutputHits } from './use-output-hits.ts'
import { useRecordingRows } from './use-recording-rows.ts'

const places = [
  { value: 'rows', label: 'Sessions' },
  { value: 'output', label: 'Screens' },
] as const
const hints = { rows: 'Search sessions…', output: 'Text on any screen…' } as const

/** Sessions that ended in a range of days, to be played; and what was on their screens, to be found. */
export function Recordings() {
  const clusterId = useClusterId()
  const [address, setAddress] = useSearchState(recordingsSearch)
  const [zone, setZone] = useZone()
  const [range, setRange] = useRange('recordings', address, (fields) => setAddress({ ...fields, page: undefined }))
  const q = address.q ?? ''
  const draft = useDraft(q, (text, options) => setAddress({ q: text || undefined, page: undefined }, options), 300)
  const place = address.in ?? 'rows'
  const view = { clusterId, address, setAddress, zone, range, setRange, q, draft }
  const found = useRecordingRows(view, place === 'rows')
  const hits = useOutputHits(view, place === 'output')
  const query = place === 'output' ? hits.pages : found.pages.query
  return (
    <>
      <PageHead title="Session recordings" count={place === 'rows' ? found.rows?.length || undefined : undefined}>
        <ZoneSwitch zone={zone} onZone={setZone} />
      </PageHead>
      <Toolbar>
        <RangePicker range={range} zone={zone} onRange={setRange} />
        <Segmented
          label="Search in"
          segments={places}
          value={place}
          onValue={(value) => setAddress({ in: value === 'output' ? value : undefined, page: undefined })}
        />
        <SearchField
          label="Search recordings"
          placeholder={hints[place]}
          value={draft.text}
          onValue={draft.change}
          onSubmit={draft.submit}
        />
        <IconButton
          icon={RefreshCw}
          label="Refresh"
          busy={query.isRefetching && !query.isPlaceholderData}
          onClick={() => void query.refetch()}
        />
      </Toolbar>
      {place === 'output' ? <OutputHits view={view} found={hits} /> : <RecordingList view={view} found={found} />}
    </>
  )
}

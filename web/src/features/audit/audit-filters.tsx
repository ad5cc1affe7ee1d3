import { ArrowDownUp, X } from 'lucide-react'
import { useState } from 'react'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { PersonFilter } from '../../records/list/person-filter.tsx'
import { Button } from '../../ui/button.tsx'
import { DayRange } from '../../ui/day-range.tsx'
import { Filter, type Option, Toggle } from '../../ui/filter.tsx'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useMe } from '../session/session.ts'
import { useActions } from './actions.ts'
import type { Entry } from './entry.ts'
import { type AuditArea, type AuditSearch, areas, isNarrowed, type Outcome, outcomes } from './search.ts'

interface Props {
  search: AuditSearch
  narrow: (change: AuditSearch) => void
  /** By its number the record is known that the list is narrowed to. */
  first: Entry | undefined
}

export function AuditFilters({ search, narrow, first }: Props) {
  const { audit: w } = useEvidenceWords()
  const { permissions } = useMe()
  const recordName = first?.resource_id === search.id ? first?.resource_number : undefined
  return (
    <ListFilters search={w.search} text={search.q} onSearch={q => narrow({ q })}>
      {search.record !== undefined && (
        <Toggle
          name={w.record(recordName ?? (search.id === undefined ? search.record.replaceAll('_', ' ') : w.oneRecord))}
          isOn
          onChange={() => narrow({ record: undefined, id: undefined })}
        />
      )}
      <DayRange label={w.days} value={search} onChange={({ from, to }) => narrow({ from, to })} hint={w.utc} />
      {permissions.includes('users.read') && (
        <PersonFilter
          label={w.person}
          value={search.user ?? []}
          onChange={user => narrow({ user: user.length > 0 ? user : undefined })}
        />
      )}
      <Filter
        label={w.area}
        options={areas.map((id): Option => ({ id, name: w.areas[id] }))}
        value={search.area ?? []}
        onChange={area => narrow({ area: area.length > 0 ? (area as AuditArea[]) : undefined })}
      />
      <ActionFilter search={search} narrow={narrow} />
      <Filter
        label={w.outcome}
        options={outcomes.map((id): Option => ({ id, name: w.outcomes[id] }))}
        value={search.outcome ?? []}
        onChange={outcome => narrow({ outcome: outcome.length > 0 ? (outcome as Outcome[]) : undefined })}
      />
      <Button look="quiet" icon={ArrowDownUp} onPress={() => narrow({ order: search.order ? undefined : 'oldest' })}>
        {search.order ? w.oldest : w.newest}
      </Button>
      {isNarrowed(search) && (
        <Button
          look="quiet"
          icon={X}
          onPress={() =>
            narrow({
              ...{ q: undefined, user: undefined, action: undefined, area: undefined, outcome: undefined },
              ...{ record: undefined, id: undefined, from: undefined, to: undefined },
            })
          }
        >
          {w.clear}
        </Button>
      )}
    </ListFilters>
  )
}

/** There are some hundreds: they are found by a part of their sentence, within the areas that are chosen. */
function ActionFilter({ search, narrow }: Pick<Props, 'search' | 'narrow'>) {
  const { audit: w } = useEvidenceWords()
  const { actions } = useActions()
  const [text, setText] = useState('')
  const chosen = search.action ?? []
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const options = actions
    .filter(({ action, area }) => chosen.includes(action) || !search.area || search.area.includes(area))
    .filter(({ action, name }) => words.every(each => `${name} ${action}`.toLowerCase().includes(each)))
    .map(({ action, name }): Option => ({ id: action, name }))
  return (
    <Filter
      label={w.action}
      options={options}
      value={chosen}
      onChange={action => narrow({ action: action.length > 0 ? action : undefined })}
      search={{ label: w.findAction, text, onChange: setText }}
    />
  )
}

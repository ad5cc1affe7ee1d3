import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { askPage } from '../../api/queries.ts'
import { FacetFilter } from '../../records/list/facet-filter.tsx'
import styles from '../../records/list/list-page.module.css'
import { PersonFilter } from '../../records/list/person-filter.tsx'
import { Button } from '../../ui/button.tsx'
import { DayRange } from '../../ui/day-range.tsx'
import { Toggle } from '../../ui/filter.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { priorities } from '../../ui/severities.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type CapasSearch, countsOf, isNarrowed, sources, statuses, types } from './search.ts'

interface Props {
  search: CapasSearch
  narrow: (change: CapasSearch) => void
}

/** Nothing is set. */
const none: CapasSearch = {
  ...{ q: undefined, status: undefined, priority: undefined, type: undefined, source: undefined, from: undefined },
  ...{ assigned: undefined, mine: undefined, unassigned: undefined, overdue: undefined, to: undefined },
}

export function Filters({ search, narrow }: Props) {
  const { capa: w, cases, documents, recordStates, states } = useWords()
  const { id, permissions } = useMe()
  const { data } = useQuery(askPage('GET /api/capa/', { query: countsOf(search, id) }))
  const counts = data?.facets
  const names: Record<string, string> = { ...states, ...recordStates }
  return (
    <search className={styles.filters} aria-label={documents.filters} data-print="none">
      <SearchText label={cases.search} text={search.q ?? ''} onChange={q => narrow({ q })} />
      <div className={styles.chips}>
        <FacetFilter
          label={w.priority}
          all={priorities}
          counts={counts?.priority}
          nameOf={each => cases.priorities[each]}
          value={search.priority ?? []}
          onChange={priority => narrow({ priority })}
        />
        <FacetFilter
          label={cases.columns.status}
          all={statuses}
          counts={counts?.status}
          nameOf={each => names[each]!}
          value={search.status ?? []}
          onChange={status => narrow({ status })}
        />
        <FacetFilter
          label={w.type}
          all={types}
          counts={counts?.type}
          nameOf={each => w.types[each]}
          value={search.type ?? []}
          onChange={type => narrow({ type })}
        />
        <FacetFilter
          label={w.source}
          all={sources}
          counts={counts?.source}
          nameOf={each => w.sources[each]}
          value={search.source ?? []}
          onChange={source => narrow({ source })}
        />
        {permissions.includes('users.read') && (
          <PersonFilter
            label={cases.columns.assigned}
            value={search.assigned ?? []}
            onChange={assigned => narrow({ assigned })}
          />
        )}
        <DayRange
          label={w.created}
          value={{ from: search.from, to: search.to }}
          onChange={({ from, to }) => narrow({ from, to })}
        />
        <Toggle isOn={search.mine ?? false} onChange={isOn => narrow({ mine: isOn || undefined })}>
          {cases.assignedToMe}
        </Toggle>
        <Toggle isOn={search.unassigned ?? false} onChange={isOn => narrow({ unassigned: isOn || undefined })}>
          {cases.unassigned}
        </Toggle>
        <Toggle isOn={search.overdue ?? false} onChange={isOn => narrow({ overdue: isOn || undefined })}>
          {cases.overdue}
        </Toggle>
        {isNarrowed(search) && (
          <Button look="quiet" icon={<X size={14} aria-hidden="true" />} onPress={() => narrow(none)}>
            {documents.clear}
          </Button>
        )}
      </div>
    </search>
  )
}

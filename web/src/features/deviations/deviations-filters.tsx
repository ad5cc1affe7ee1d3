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
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { categories, countsOf, type DeviationsSearch, isNarrowed, severities, statuses } from './search.ts'

interface Props {
  search: DeviationsSearch
  narrow: (change: DeviationsSearch) => void
}

/** Another filter of the list: nothing is set. */
const none: DeviationsSearch = {
  ...{ q: undefined, severity: undefined, status: undefined, category: undefined, department: undefined },
  ...{ assigned: undefined, mine: undefined, unassigned: undefined, reported: undefined, overdue: undefined },
  ...{ from: undefined, to: undefined },
}

export function Filters({ search, narrow }: Props) {
  const { deviations: w, cases, documents, recordStates, states } = useWords()
  const { id, permissions } = useMe()
  const { data } = useQuery(askPage('GET /api/deviations/', { query: countsOf(search, id) }))
  const counts = data?.facets
  const names: Record<string, string> = { ...states, ...recordStates }
  return (
    <search className={styles.filters} aria-label={documents.filters} data-print="none">
      <SearchText label={cases.search} text={search.q ?? ''} onChange={q => narrow({ q })} />
      <div className={styles.chips}>
        <FacetFilter
          label={w.severity}
          all={severities}
          counts={counts?.severity}
          nameOf={each => cases.severities[each]}
          value={search.severity ?? []}
          onChange={severity => narrow({ severity })}
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
          label={w.category}
          all={categories}
          counts={counts?.category}
          nameOf={each => w.categories[each]}
          value={search.category ?? []}
          onChange={category => narrow({ category })}
        />
        <FacetFilter
          label={w.department}
          counts={counts?.department}
          value={search.department ?? []}
          onChange={department => narrow({ department })}
        />
        {permissions.includes('users.read') && (
          <PersonFilter
            label={cases.columns.assigned}
            value={search.assigned ?? []}
            onChange={assigned => narrow({ assigned })}
          />
        )}
        <DayRange
          label={w.detected}
          value={{ from: search.from, to: search.to }}
          onChange={({ from, to }) => narrow({ from, to })}
        />
        <Toggle isOn={search.mine ?? false} onChange={isOn => narrow({ mine: isOn || undefined })}>
          {cases.assignedToMe}
        </Toggle>
        <Toggle isOn={search.reported ?? false} onChange={isOn => narrow({ reported: isOn || undefined })}>
          {w.reportedByMe}
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

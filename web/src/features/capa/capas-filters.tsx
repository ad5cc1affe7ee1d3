import { useQuery } from '@tanstack/react-query'
import { askPage } from '../../api/queries.ts'
import { CaseFilters } from '../../records/case/case-filters.tsx'
import { useCaseWords } from '../../records/case/words.ts'
import { FacetFilter } from '../../records/list/facet-filter.tsx'
import { priorities } from '../../ui/severities.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type CapasSearch, countsOf, sources, statuses, types } from './search.ts'
import { useCapaWords } from './words.ts'

interface Props {
  search: CapasSearch
  narrow: (change: CapasSearch) => void
}

export function Filters({ search, narrow }: Props) {
  const w = useCapaWords()
  const cases = useCaseWords()
  const { recordStates, states, priorities: priorityNames } = useWords()
  const { id } = useMe()
  const { data } = useQuery(askPage('GET /api/capa/', { query: countsOf(search, id) }))
  const counts = data?.facets
  const names: Record<string, string> = { ...states, ...recordStates }
  return (
    <CaseFilters search={search} narrow={narrow} days={w.created}>
      <FacetFilter
        label={w.priority}
        all={priorities}
        counts={counts?.priority}
        nameOf={each => priorityNames[each]}
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
    </CaseFilters>
  )
}

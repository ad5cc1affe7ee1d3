import { CaseFilters } from '../../records/case/case-filters.tsx'
import { useCaseWords } from '../../records/case/words.ts'
import { FacetFilter } from '../../records/list/facet-filter.tsx'
import { useCountFilters } from '../../records/list/use-count-filters.ts'
import { priorities } from '../../ui/severities.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type CapasSearch, countsOf, sources, statuses, types } from './search.ts'
import { useCapaWords } from './words.ts'

interface Props {
  search: CapasSearch
  /** The list that the filters narrow has come. */
  isListed: boolean
  narrow: (change: CapasSearch) => void
}

export function Filters({ search, isListed, narrow }: Props) {
  const w = useCapaWords()
  const cases = useCaseWords()
  const { recordStates, states, priorities: priorityNames } = useWords()
  const { id } = useMe()
  const counts = useCountFilters('GET /api/capa/', countsOf(search, id), isListed)
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

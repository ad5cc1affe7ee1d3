import { CaseFilters } from '../../records/case/case-filters.tsx'
import { useCaseWords } from '../../records/case/words.ts'
import { FacetFilter } from '../../records/list/facet-filter.tsx'
import { useCountFilters } from '../../records/list/use-count-filters.ts'
import { Toggle } from '../../ui/filter.tsx'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { categories, countsOf, type DeviationsSearch, severities, statuses } from './search.ts'
import { useDeviationWords } from './words.ts'

interface Props {
  search: DeviationsSearch
  /** The list that the filters narrow has come. */
  isListed: boolean
  narrow: (change: DeviationsSearch) => void
}

export function Filters({ search, isListed, narrow }: Props) {
  const w = useDeviationWords()
  const cases = useCaseWords()
  const { recordStates, states, severities: severityNames } = useWords()
  const { id } = useMe()
  const counts = useCountFilters('GET /api/deviations/', countsOf(search, id), isListed)
  const names: Record<string, string> = { ...states, ...recordStates }
  return (
    <CaseFilters
      search={search}
      narrow={narrow}
      days={w.detected}
      toggle={
        <Toggle
          name={w.reportedByMe}
          isOn={search.reported ?? false}
          onChange={isOn => narrow({ reported: isOn || undefined })}
        />
      }
    >
      <FacetFilter
        label={w.severity}
        all={severities}
        counts={counts?.severity}
        nameOf={each => severityNames[each]}
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
    </CaseFilters>
  )
}

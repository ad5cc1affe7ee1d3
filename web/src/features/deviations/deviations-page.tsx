import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FilePlus2, TriangleAlert } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { defaultSort, isNarrowed } from '../../records/case/case-list.ts'
import { useCaseWords } from '../../records/case/words.ts'
import { useColumns } from '../../records/list/columns.tsx'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import { Views } from '../../records/list/views.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { shownAtFirst, useDeviationColumns } from './columns.tsx'
import { Filters } from './deviations-filters.tsx'
import { type DeviationsSearch, filtersOf, queryOf, searchOfView, unfinished, viewOf } from './search.ts'
import { useDeviationWords } from './words.ts'

export function DeviationsPage() {
  const w = useDeviationWords()
  const cases = useCaseWords()
  const { lists } = useWords()
  const search = useSearch({ from: '/app/deviations' })
  const navigate = useNavigate({ from: '/deviations' })
  const { id, permissions } = useMe()
  const list = useQuery(askPage('GET /api/deviations/', { query: queryOf(search, id) }))
  const columns = useColumns('deviations', useDeviationColumns(), shownAtFirst)
  useTitle(w.title)

  const commonViews = [
    { name: lists.all, search: '' },
    { name: cases.views.mine, search: viewOf({ mine: true, status: unfinished, sort: 'due_date:asc' }) },
    { name: w.views.bySeverity, search: viewOf({ status: unfinished, sort: 'severity:desc' }) },
    { name: cases.views.overdue, search: viewOf({ overdue: true, sort: 'due_date:asc' }) },
    { name: cases.views.closed, search: viewOf({ status: ['closed'] }) },
  ]
  /** Another filter is another list, which begins at its first page. */
  const narrow = (change: DeviationsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <ListPage
      title={w.title}
      of={list}
      rowKey={({ id: key }) => key}
      columns={columns}
      sort={search.sort ?? defaultSort}
      narrow={narrow}
      addressAs={format => addressOf('GET /api/deviations/', { query: { ...filtersOf(search, id), format } })}
      begin={
        permissions.includes('deviations.create') && (
          <Begin icon={FilePlus2} name={w.report} onPress={() => void navigate({ to: '/deviations/new' })} />
        )
      }
      isNarrowed={isNarrowed(search)}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: TriangleAlert, title: w.empty, hint: w.emptyHint, none: w.none }}
    >
      <Views list="deviations" path={paths.deviations} read={searchOfView} now={viewOf(search)} common={commonViews} />
      <Filters search={search} narrow={narrow} isListed={list.data !== undefined && !list.isPlaceholderData} />
    </ListPage>
  )
}

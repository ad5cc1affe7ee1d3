import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FileStack, Plus } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { useShownPattern } from '../../records/fields/pattern-field.tsx'
import { ListFilters } from '../../records/list/list-filters.tsx'
import list from '../../records/list/list-page.module.css'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useMe } from '../session/session.ts'
import { type TypesSearch, typesSort } from './search.ts'
import { useTypeWords } from './words.ts'

type Row = Answer<'GET /api/document-types/'>['items'][number]

const page_size = 25

/** The kinds of documents, and by what each goes. */
export function DocumentTypesPage() {
  const w = useTypeWords()
  const search = useSearch({ from: '/app/administration/admin/document-types' })
  const navigate = useNavigate({ from: '/admin/document-types' })
  const mayManage = useMe().permissions.includes('document_types.manage')
  const { q, inactive, sort = typesSort, page } = search
  const found = useQuery(
    askPage('GET /api/document-types/', {
      query: { q, is_active: inactive ? false : undefined, sort, page, page_size },
    }),
  )
  const columns = useColumns()
  useTitle(w.title)
  const narrow = (change: TypesSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <ListPage
      title={w.title}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      sort={sort}
      narrow={narrow}
      begin={
        mayManage && (
          <Begin icon={Plus} name={w.create} onPress={() => void navigate({ to: '/admin/document-types/new' })} />
        )
      }
      isNarrowed={q !== undefined || inactive === true}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: FileStack, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      <ListFilters search={w.search} text={q} onSearch={next => narrow({ q: next })}>
        <FilterOne
          label={w.columns.state}
          values={['inactive']}
          names={{ inactive: w.notInUse }}
          value={inactive && 'inactive'}
          onChange={next => narrow({ inactive: next && true })}
        />
      </ListFilters>
    </ListPage>
  )
}

function useColumns(): Column<Row>[] {
  const w = useTypeWords()
  const shownPattern = useShownPattern()
  return [
    {
      id: 'name',
      title: w.columns.name,
      sort: 'name',
      isHeading: true,
      cell: ({ id, name, description }) => (
        <div className={list.named}>
          <Link to="/admin/document-types/$id" params={{ id }}>
            {name}
          </Link>
          {description && <span>{description}</span>}
        </div>
      ),
    },
    {
      id: 'number',
      title: w.columns.number,
      cell: ({ number_pattern }) => <span className="number">{shownPattern(number_pattern)}</span>,
    },
    { id: 'workflow', title: w.columns.workflow, rank: 2, cell: row => row.workflow_template.name },
    {
      id: 'review',
      title: w.columns.review,
      rank: 1,
      cell: ({ review_period_months: months }) =>
        months === null ? <span className="soft">{w.never}</span> : w.every(months),
    },
    {
      id: 'gate',
      title: w.columns.gate,
      rank: 1,
      cell: ({ training_gate: gate }) =>
        gate === 'none' ? <span className="soft">{w.never}</span> : w.gates[gate].name,
    },
    {
      id: 'state',
      title: w.columns.state,
      cell: ({ is_active }) => (
        <Status of={is_active ? 'active' : 'inactive'} name={is_active ? w.inUse : w.notInUse} />
      ),
    },
  ]
}

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ListChecks, Plus } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import list from '../../records/list/list-page.module.css'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type FormsSearch, formsSort } from './search.ts'
import { useFormWords } from './words.ts'

type Row = Answer<'GET /api/deviations/form-templates/'>['items'][number]

const page_size = 25

/** The forms that people choose from when they report a deviation. */
export function FormsPage() {
  const w = useFormWords()
  const search = useSearch({ from: '/app/administration/admin/forms' })
  const navigate = useNavigate({ from: '/admin/forms' })
  const mayManage = useMe().permissions.includes('deviations.manage_forms')
  const { q, inactive, sort = formsSort, page } = search
  const found = useQuery(
    askPage('GET /api/deviations/form-templates/', {
      query: { q, is_active: inactive ? false : undefined, sort, page, page_size },
    }),
  )
  const columns = useColumns()
  useTitle(w.title)
  const narrow = (change: FormsSearch) =>
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
        mayManage && <Begin icon={Plus} name={w.create} onPress={() => void navigate({ to: '/admin/forms/new' })} />
      }
      isNarrowed={q !== undefined || inactive === true}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: ListChecks, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      <ListFilters search={w.search} text={q} onSearch={next => narrow({ q: next })}>
        <FilterOne
          label={w.columns.state}
          values={['inactive']}
          names={{ inactive: w.notOffered }}
          value={inactive && 'inactive'}
          onChange={next => narrow({ inactive: next && true })}
        />
      </ListFilters>
    </ListPage>
  )
}

function useColumns(): Column<Row>[] {
  const w = useFormWords()
  const { day } = useFormat()
  return [
    {
      id: 'name',
      title: w.columns.name,
      sort: 'name',
      isHeading: true,
      cell: ({ id, name, description }) => (
        <div className={list.named}>
          <Link to="/admin/forms/$id" params={{ id }}>
            {name}
          </Link>
          {description && <span>{description}</span>}
        </div>
      ),
    },
    {
      id: 'state',
      title: w.columns.state,
      cell: ({ is_active }) => (
        <Status of={is_active ? 'active' : 'inactive'} name={is_active ? w.offered : w.notOffered} />
      ),
    },
    { id: 'version', title: w.columns.version, rank: 2, cell: ({ version }) => version },
    { id: 'used', title: w.columns.used, rank: 2, cell: row => row.deviation_count },
    {
      id: 'changed',
      title: w.columns.changed,
      sort: 'updated_at',
      rank: 1,
      cell: ({ updated_at, updated_by }) => (
        <>
          {day(updated_at)} {updated_by && <span className="soft">{w.by(nameOf(updated_by))}</span>}
        </>
      ),
    },
  ]
}

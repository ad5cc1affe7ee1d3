import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FileText, Plus } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import list from '../../records/list/list-page.module.css'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type TemplatesSearch, templatesSort } from './search.ts'
import { useTemplateWords } from './words.ts'

type Row = Answer<'GET /api/templates/'>['items'][number]

const page_size = 25

/** The texts that new documents begin with. */
export function TemplatesPage() {
  const w = useTemplateWords()
  const search = useSearch({ from: '/app/administration/admin/templates' })
  const navigate = useNavigate({ from: '/admin/templates' })
  const mayManage = useMe().permissions.includes('templates.manage')
  const { q, deleted, sort = templatesSort, page } = search
  const found = useQuery(
    askPage('GET /api/templates/', { query: { q, is_active: deleted ? false : undefined, sort, page, page_size } }),
  )
  const columns = useColumns()
  useTitle(w.title)
  const narrow = (change: TemplatesSearch) =>
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
        mayManage && <Begin icon={Plus} name={w.create} onPress={() => void navigate({ to: '/admin/templates/new' })} />
      }
      isNarrowed={q !== undefined || deleted === true}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: FileText, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      <ListFilters search={w.search} text={q} onSearch={next => narrow({ q: next })}>
        <FilterOne
          label={w.state}
          values={['deleted']}
          names={{ deleted: w.deleted }}
          value={deleted && 'deleted'}
          onChange={next => narrow({ deleted: next && true })}
        />
      </ListFilters>
    </ListPage>
  )
}

function useColumns(): Column<Row>[] {
  const w = useTemplateWords()
  const { day } = useFormat()
  return [
    {
      id: 'name',
      title: w.columns.name,
      sort: 'name',
      isHeading: true,
      cell: ({ id, name, description }) => (
        <div className={list.named}>
          <Link to="/admin/templates/$id" params={{ id }}>
            {name}
          </Link>
          {description && <span>{description}</span>}
        </div>
      ),
    },
    { id: 'category', title: w.columns.category, sort: 'category', rank: 2, cell: row => row.category },
    {
      id: 'type',
      title: w.columns.type,
      cell: row => row.document_type?.name ?? <span className="soft">{w.anyType}</span>,
    },
    { id: 'version', title: w.columns.version, rank: 2, cell: row => row.version },
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

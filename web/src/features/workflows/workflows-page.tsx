import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Workflow } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { useProposed, useTypesOf } from './choices.ts'
import { type WorkflowsSearch, workflowsSort } from './search.ts'
import { useDesignerWords } from './words.ts'
import styles from './workflow-page.module.css'

type Row = Answer<'GET /api/workflow-templates/'>['items'][number]

const page_size = 25

/** All workflows: which document types use each, and whether a change of it waits for approval. */
export function WorkflowsPage() {
  const w = useDesignerWords()
  const search = useSearch({ from: '/app/administration/admin/workflows' })
  const navigate = useNavigate({ from: '/admin/workflows' })
  const { permissions } = useMe()
  const { q, sort = workflowsSort, page } = search
  const found = useQuery(askPage('GET /api/workflow-templates/', { query: { q, sort, page, page_size } }))
  const proposed = useProposed()
  const columns = useWorkflowColumns()
  useTitle(w.title)
  const narrow = (change: WorkflowsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  const mayManage = permissions.includes('workflow_templates.manage')
  const created = proposed.filter(({ operation }) => operation === 'create')
  return (
    <ListPage
      title={w.title}
      about={w.hint}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      sort={sort}
      narrow={narrow}
      begin={
        mayManage && <Begin icon={Plus} name={w.begin} onPress={() => void navigate({ to: '/admin/workflows/new' })} />
      }
      isNarrowed={q !== undefined}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: Workflow, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      {created.map(({ id, title }) => (
        <p key={id} className={`${styles.note} ${styles.inList}`}>
          {w.proposedNew(title)}{' '}
          <Link to="/admin/changes/$id" params={{ id }}>
            {w.seeChange}
          </Link>
        </p>
      ))}
      <ListFilters search={w.search} text={q} onSearch={next => narrow({ q: next })} />
    </ListPage>
  )
}

export function WorkflowState({ of: { is_active }, isProposed }: { of: Pick<Row, 'is_active'>; isProposed: boolean }) {
  const { states: w } = useDesignerWords()
  return (
    <span className={styles.states}>
      <Status of={is_active ? 'active' : 'inactive'} name={is_active ? w.inForce : w.withdrawn} />
      {isProposed && <Status of="pending_approval" name={w.proposed} />}
    </span>
  )
}

function useWorkflowColumns(): Column<Row>[] {
  const w = useDesignerWords()
  const { day, list: inList } = useFormat()
  const typesOf = useTypesOf()
  const proposed = useProposed()
  return [
    {
      id: 'name',
      title: w.list.name,
      sort: 'name',
      isHeading: true,
      cell: row => (
        <>
          <Link to="/admin/workflows/$id" params={{ id: row.id }}>
            {row.name}
          </Link>
          {row.is_builtin && <span className={styles.tag}>{w.shipped}</span>}
        </>
      ),
    },
    {
      id: 'state',
      title: w.list.state,
      cell: row => <WorkflowState of={row} isProposed={proposed.some(({ resource_id }) => resource_id === row.id)} />,
    },
    {
      id: 'types',
      title: w.list.types,
      cell: row => {
        const names = typesOf(row.id).map(({ name }) => name)
        return names.length > 0 ? (
          <span className={styles.types}>{inList(names, 'conjunction')}</span>
        ) : (
          <span className="soft">{w.list.noTypes}</span>
        )
      },
    },
    {
      id: 'approvals',
      title: w.list.approvals,
      rank: 2,
      cell: row => row.definition.transitions.filter(({ approval }) => approval).length,
    },
    { id: 'version', title: w.list.version, rank: 3, cell: row => row.version },
    { id: 'updated', title: w.list.changed, sort: 'updated_at', rank: 1, cell: row => day(row.updated_at) },
  ]
}

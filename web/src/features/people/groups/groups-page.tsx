import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { type Answer, addressOf, call } from '../../../api/client.ts'
import { askPage } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { ReasonDialog } from '../../../records/dialogs/reason-dialog.tsx'
import { useColumns } from '../../../records/list/columns.tsx'
import { ListFilters } from '../../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../../records/list/list-page.tsx'
import type { Column } from '../../../ui/data-table.tsx'
import { Filter } from '../../../ui/filter.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { useFormat } from '../../../words/index.ts'
import { useMe } from '../../session/session.ts'
import { usePeopleWords } from '../words.ts'
import { GroupFields, useGroupFields } from './group-fields.tsx'
import {
  defaultSort,
  filtersOf,
  type GroupsSearch,
  type GroupType,
  groupTypes,
  isNarrowed,
  page_size,
} from './search.ts'

type Row = Answer<'GET /api/groups/'>['items'][number]

/** Who is named together? */
export function GroupsPage() {
  const { groups: w } = usePeopleWords()
  const search = useSearch({ from: '/app/administration/admin/groups' })
  const navigate = useNavigate({ from: paths.groups })
  const { permissions } = useMe()
  const [isCreating, setCreating] = useState(false)
  const found = useQuery(
    askPage('GET /api/groups/', { query: { ...filtersOf(search), page: search.page ?? 1, page_size } }),
  )
  const columns = useColumns('groups', useGroupColumns(), ['type', 'members', 'description', 'updated'])
  useTitle(w.title)
  const narrow = (change: GroupsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <ListPage
      title={w.title}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      sort={search.sort ?? defaultSort}
      narrow={narrow}
      addressAs={format => addressOf('GET /api/groups/', { query: { ...filtersOf(search), format } })}
      begin={
        permissions.includes('groups.manage') && <Begin icon={Plus} name={w.create} onPress={() => setCreating(true)} />
      }
      isNarrowed={isNarrowed(search)}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: UsersRound, title: w.empty, hint: w.emptyHint, none: w.noneMatch }}
    >
      <ListFilters search={w.find} text={search.q} onSearch={q => narrow({ q })}>
        <Filter
          label={w.type}
          options={groupTypes.map(id => ({ id, name: w.types[id] }))}
          value={search.type ?? []}
          onChange={next => narrow({ type: next as GroupType[] })}
        />
      </ListFilters>
      {isCreating && (
        <CreateDialog
          onDone={id => void navigate({ to: paths.group, params: { id } })}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  )
}

function CreateDialog({ onDone, onClose }: { onDone: (id: number) => void; onClose: () => void }) {
  const { groups: w } = usePeopleWords()
  const form = useGroupFields()
  return (
    <ReasonDialog
      title={w.create}
      about={null}
      revision={0}
      submit={w.create}
      hasReason={false}
      isComplete={form.isComplete}
      send={() => call('POST /api/groups/', { body: form.body() })}
      done={({ name }) => w.created(name)}
      onDone={({ id }) => onDone(id)}
      onClose={onClose}
    >
      {problem => <GroupFields of={form} problem={problem} />}
    </ReasonDialog>
  )
}

function useGroupColumns(): Column<Row>[] {
  const { groups: w } = usePeopleWords()
  const { day } = useFormat()
  return [
    {
      id: 'name',
      title: w.name,
      sort: 'name',
      isHeading: true,
      cell: row => (
        <Link to={paths.group} params={{ id: row.id }}>
          {row.name}
        </Link>
      ),
    },
    { id: 'type', title: w.type, sort: 'group_type', cell: row => w.types[row.group_type] },
    { id: 'members', title: w.members, isFigure: true, sort: 'member_count', cell: row => row.member_count },
    { id: 'description', title: w.description, rank: 2, cell: row => row.description },
    { id: 'updated', title: w.updated, sort: 'updated_at', rank: 1, cell: row => day(row.updated_at) },
  ]
}

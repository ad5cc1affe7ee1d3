import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Bot, Plus } from 'lucide-react'
import { useState } from 'react'
import { type Answer, addressOf, call } from '../../../api/client.ts'
import { askPage } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { ReasonDialog } from '../../../records/dialogs/reason-dialog.tsx'
import { useColumns } from '../../../records/list/columns.tsx'
import { ListFilters } from '../../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../../records/list/list-page.tsx'
import type { Column } from '../../../ui/data-table.tsx'
import { FilterOne } from '../../../ui/filter.tsx'
import { nameOf, Person } from '../../../ui/person.tsx'
import { Status } from '../../../ui/status.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { useFormat, useWords } from '../../../words/index.ts'
import { useMe } from '../../session/session.ts'
import { Mark, useFreshLogin } from '../parts.tsx'
import { usePeopleWords } from '../words.ts'
import { AccountFields, useAccountFields } from './account-fields.tsx'
import { type AccountsSearch, defaultSort, filtersOf, isNarrowed, page_size } from './search.ts'

type Row = Answer<'GET /api/service-accounts/'>['items'][number]

/** Which programs use the API, and who answers for them? */
export function ServiceAccountsPage() {
  const { services: w } = usePeopleWords()
  const { recordStates } = useWords()
  const search = useSearch({ from: '/app/administration/admin/service-accounts' })
  const navigate = useNavigate({ from: paths.serviceAccounts })
  const { permissions } = useMe()
  const [isCreating, setCreating] = useState(false)
  const found = useQuery(
    askPage('GET /api/service-accounts/', { query: { ...filtersOf(search), page: search.page ?? 1, page_size } }),
  )
  const columns = useColumns('service-accounts', useAccountColumns(), ['owner', 'role', 'keys', 'used', 'status'])
  useTitle(w.title)
  const narrow = (change: AccountsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  const state = search.active === undefined ? undefined : search.active ? 'active' : 'inactive'
  return (
    <ListPage
      title={w.title}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      sort={search.sort ?? defaultSort}
      narrow={narrow}
      addressAs={format => addressOf('GET /api/service-accounts/', { query: { ...filtersOf(search), format } })}
      begin={
        permissions.includes('service_accounts.manage') && (
          <Begin icon={Plus} name={w.create} onPress={() => setCreating(true)} />
        )
      }
      isNarrowed={isNarrowed(search)}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: Bot, title: w.empty, hint: w.emptyHint, none: w.noneMatch }}
    >
      <ListFilters search={w.find} text={search.q} onSearch={q => narrow({ q })}>
        <FilterOne
          label={w.columns.status}
          values={['active', 'inactive']}
          names={recordStates}
          value={state}
          onChange={next => narrow({ active: next && next === 'active' })}
        />
      </ListFilters>
      {isCreating && (
        <CreateDialog
          onDone={id => void navigate({ to: paths.serviceAccount, params: { id } })}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  )
}

function CreateDialog({ onDone, onClose }: { onDone: (id: number) => void; onClose: () => void }) {
  const { services: w } = usePeopleWords()
  const form = useAccountFields()
  const fresh = useFreshLogin()
  return (
    <ReasonDialog
      title={w.create}
      about={w.about}
      revision={0}
      submit={w.create}
      size="m"
      hasReason={false}
      isComplete={form.isComplete}
      send={() => fresh.withLogin(() => call('POST /api/service-accounts/', { body: form.body() }))}
      onDone={({ id }) => onDone(id)}
      done={({ full_name, username }) => w.created(full_name ?? username)}
      onClose={onClose}
    >
      {problem => (
        <>
          <AccountFields of={form} problem={problem} isNew />
          {fresh.fields}
        </>
      )}
    </ReasonDialog>
  )
}

function useAccountColumns(): Column<Row>[] {
  const { services: w } = usePeopleWords()
  const { ago, moment } = useFormat()
  return [
    {
      id: 'name',
      title: w.columns.name,
      sort: 'username',
      isHeading: true,
      cell: row => (
        <Link to={paths.serviceAccount} params={{ id: row.id }}>
          {row.username} {row.full_name && <span className="soft">{row.full_name}</span>}
        </Link>
      ),
    },
    {
      id: 'owner',
      title: w.columns.owner,
      rank: 2,
      cell: ({ owner }) =>
        owner.is_active ? <Person of={owner} /> : <Mark look="warn">{w.inactiveOwner(nameOf(owner))}</Mark>,
    },
    { id: 'role', title: w.columns.role, rank: 1, cell: row => row.role },
    { id: 'keys', title: w.columns.keys, isFigure: true, cell: row => row.live_keys },
    {
      id: 'used',
      title: w.columns.used,
      rank: 1,
      cell: ({ last_used_at }) =>
        last_used_at ? (
          <time dateTime={last_used_at} title={moment(last_used_at)}>
            {ago(last_used_at)}
          </time>
        ) : (
          <span className="soft">{w.never}</span>
        ),
    },
    {
      id: 'status',
      title: w.columns.status,
      cell: row => <Status of={row.is_active ? 'active' : 'inactive'} />,
    },
  ]
}

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { LockKeyhole, UserPlus, UsersRound, X } from 'lucide-react'
import { type Answer, addressOf, serviceNow } from '../../../api/client.ts'
import { askAll, askPage } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { useColumns } from '../../../records/list/columns.tsx'
import { ListFilters } from '../../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../../records/list/list-page.tsx'
import { Views } from '../../../records/list/views.tsx'
import { Button } from '../../../ui/button.tsx'
import type { Column } from '../../../ui/data-table.tsx'
import { Filter, FilterOne, Toggle } from '../../../ui/filter.tsx'
import { Person } from '../../../ui/person.tsx'
import { Status } from '../../../ui/status.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { useFormat, useWords } from '../../../words/index.ts'
import { useMe } from '../../session/session.ts'
import { Mark } from '../parts.tsx'
import { usePeopleWords } from '../words.ts'
import {
  defaultSort,
  filtersOf,
  type Invitation,
  invitations,
  isNarrowed,
  queryOf,
  searchOfView,
  sources,
  type UsersSearch,
  viewOf,
} from './search.ts'

type Row = Answer<'GET /api/users/'>['items'][number]

/** How people log in is told to whoever manages accounts, and to auditors. */
export const useReadsLogins = () => {
  const { permissions } = useMe()
  return permissions.includes('users.manage') || permissions.includes('users.read_logins')
}

/** Who has an account, and with which role? */
export function UsersPage() {
  const { users: w } = usePeopleWords()
  const { lists } = useWords()
  const search = useSearch({ from: '/app/administration/admin/users' })
  const navigate = useNavigate({ from: paths.users })
  const { permissions } = useMe()
  const readsLogins = useReadsLogins()
  const found = useQuery(askPage('GET /api/users/', { query: queryOf(search) }))
  const columns = useColumns('users', useUserColumns(readsLogins), ['role', 'status', 'login', 'factor'])
  useTitle(w.title)
  const narrow = (change: UsersSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  const views = [
    { name: lists.all, search: '' },
    { name: w.views.active, search: viewOf({ active: true }) },
    ...(readsLogins
      ? [
          { name: w.views.locked, search: viewOf({ locked: true }) },
          { name: w.views.withoutSecondFactor, search: viewOf({ active: true, withoutSecondFactor: true }) },
          { name: w.views.invited, search: viewOf({ invitation: ['queued', 'sent'] }) },
        ]
      : []),
  ]
  return (
    <ListPage
      title={w.title}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      sort={search.sort ?? defaultSort}
      narrow={narrow}
      addressAs={format => addressOf('GET /api/users/', { query: { ...filtersOf(search), format } })}
      begin={
        permissions.includes('users.manage') && (
          <Begin icon={UserPlus} name={w.invite} onPress={() => void navigate({ to: paths.newUser })} />
        )
      }
      isNarrowed={isNarrowed(search)}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: UsersRound, title: w.empty, hint: w.emptyHint, none: w.noneMatch }}
    >
      <Views list="users" path={paths.users} read={searchOfView} now={viewOf(search)} common={views} />
      <Filters search={search} narrow={narrow} readsLogins={readsLogins} />
    </ListPage>
  )
}

interface FilterProps {
  search: UsersSearch
  narrow: (change: UsersSearch) => void
  readsLogins: boolean
}

function Filters({ search, narrow, readsLogins }: FilterProps) {
  const { users: w } = usePeopleWords()
  const { documents: dw, recordStates } = useWords()
  const { permissions } = useMe()
  const { data: roles = [] } = useQuery({
    ...askAll('GET /api/roles/', { query: { sort: 'name:asc' } }),
    enabled: permissions.includes('roles.read'),
  })
  const state = search.active === undefined ? undefined : search.active ? 'active' : 'inactive'
  return (
    <ListFilters search={w.find} text={search.q} onSearch={q => narrow({ q })}>
      {roles.length > 0 && (
        <Filter
          label={w.columns.role}
          options={roles.map(({ name }) => ({ id: name, name }))}
          value={search.role ?? []}
          onChange={role => narrow({ role })}
        />
      )}
      <FilterOne
        label={w.status}
        values={['active', 'inactive']}
        names={recordStates}
        value={state}
        onChange={next => narrow({ active: next && next === 'active' })}
      />
      {readsLogins && (
        <>
          <Filter
            label={w.invitation}
            options={invitations.map(id => ({ id, name: w.invitations[id] }))}
            value={search.invitation ?? []}
            onChange={next => narrow({ invitation: next as Invitation[] })}
          />
          <FilterOne
            label={w.source}
            values={sources}
            names={w.sources}
            value={search.source}
            onChange={source => narrow({ source })}
          />
          <Toggle
            name={w.locked}
            isOn={search.locked ?? false}
            onChange={isOn => narrow({ locked: isOn || undefined })}
          />
          <Toggle
            name={w.withoutSecondFactor}
            isOn={search.withoutSecondFactor ?? false}
            onChange={isOn => narrow({ withoutSecondFactor: isOn || undefined })}
          />
        </>
      )}
      {isNarrowed(search) && (
        <Button
          look="quiet"
          icon={X}
          onPress={() =>
            narrow({
              ...{ q: undefined, role: undefined, active: undefined, invitation: undefined },
              ...{ source: undefined, locked: undefined, withoutSecondFactor: undefined },
            })
          }
        >
          {dw.clear}
        </Button>
      )}
    </ListFilters>
  )
}

function useUserColumns(readsLogins: boolean): Column<Row>[] {
  const { users: w } = usePeopleWords()
  const { day, ago, moment } = useFormat()
  const plain: Column<Row>[] = [
    {
      id: 'name',
      title: w.columns.name,
      sort: 'full_name',
      isHeading: true,
      cell: row => (
        <Link to={paths.user} params={{ id: row.id }}>
          <Person of={row} /> {row.full_name !== null && <span className="soft">{row.username}</span>}
        </Link>
      ),
    },
    { id: 'role', title: w.columns.role, sort: 'role', cell: row => row.role },
    {
      id: 'status',
      title: w.columns.status,
      sort: 'is_active',
      cell: row => (
        <>
          <Status of={row.is_active ? 'active' : 'inactive'} />{' '}
          {isLocked(row) && (
            <Mark look="warn">
              <LockKeyhole size={12} aria-hidden="true" /> {w.locked}
            </Mark>
          )}
          {row.is_break_glass && <Mark>{w.breakGlass}</Mark>}
        </>
      ),
    },
    { id: 'email', title: w.columns.email, sort: 'email', rank: 1, cell: row => row.email },
    { id: 'created', title: w.columns.created, sort: 'created_at', rank: 1, cell: row => day(row.created_at) },
  ]
  if (!readsLogins) return plain
  return [
    ...plain,
    {
      id: 'login',
      title: w.columns.login,
      sort: 'last_login_at',
      rank: 2,
      cell: ({ last_login_at }) =>
        last_login_at ? (
          <time dateTime={last_login_at} title={moment(last_login_at)}>
            {ago(last_login_at)}
          </time>
        ) : (
          <span className="soft">{w.never}</span>
        ),
    },
    {
      id: 'factor',
      title: w.columns.factor,
      rank: 1,
      cell: row => (row.totp_enrolled ? w.enrolled : <span className="soft">{w.notEnrolled}</span>),
    },
    {
      id: 'invitation',
      title: w.columns.invitation,
      rank: 1,
      cell: row => row.invitation && w.invitations[row.invitation.status],
    },
  ]
}

export const isLocked = ({ locked_until }: { locked_until?: string | null }) =>
  locked_until !== null && locked_until !== undefined && Date.parse(locked_until) > serviceNow()

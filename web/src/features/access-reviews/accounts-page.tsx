import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, TriangleAlert, UsersRound, X } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { addressOf } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { ListPage } from '../../records/list/list-page.tsx'
import { Button } from '../../ui/button.tsx'
import { Filter, FilterOne, Toggle } from '../../ui/filter.tsx'
import { save } from '../../ui/save.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useMe } from '../session/session.ts'
import styles from './access.module.css'
import { AccessNav } from './access-nav.tsx'
import { useAccountColumns } from './account-columns.tsx'
import { type AccountsSearch, defaultSort, filtersOf, isNarrowed, queryOf } from './search.ts'

/** Who may do what here, now? */
export function AccountsPage() {
  const { access: w } = useEvidenceWords()
  const search = useSearch({ from: '/app/access-review' })
  const navigate = useNavigate({ from: paths.accounts })
  const { permissions } = useMe()
  const found = useQuery(askPage('GET /api/users/access-review', { query: queryOf(search) }))
  const columns = useAccountColumns()
  useTitle(w.title)
  const narrow = (change: AccountsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  const saveAll = () =>
    save(addressOf('GET /api/users/access-review', { query: { ...filtersOf(search), format: 'csv' } }))
  return (
    <ListPage
      title={w.title}
      about={w.about}
      of={found}
      rowKey={({ user_id }) => user_id}
      columns={columns}
      sort={search.sort ?? defaultSort}
      narrow={narrow}
      begin={
        <>
          {found.data && found.data.total > 0 && (
            <Button icon={Download} onPress={saveAll}>
              {w.export}
            </Button>
          )}
          {permissions.includes('users.review_access') && (
            <Button look="main" onPress={() => void navigate({ to: paths.newAccessReview })}>
              {w.begin}
            </Button>
          )}
        </>
      }
      isNarrowed={isNarrowed(search)}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: UsersRound, title: w.none, hint: '' }}
    >
      <AccessNav />
      {found.data && <Remarks of={found.data.remarks} />}
      <Filters search={search} narrow={narrow} />
    </ListPage>
  )
}

function Filters({ search, narrow }: { search: AccountsSearch; narrow: (change: AccountsSearch) => void }) {
  const { access: w } = useEvidenceWords()
  const { permissions } = useMe()
  const { data: roles } = useQuery({
    ...ask('GET /api/roles/', { query: { page_size: 100 } }),
    enabled: permissions.includes('roles.read'),
  })
  const names = (roles?.items ?? []).map(({ name }) => ({ id: name, name }))
  const state = search.active === undefined ? undefined : (`${search.active}` as const)
  return (
    <ListFilters search={w.search} text={search.q} onSearch={q => narrow({ q })}>
      {names.length > 0 && (
        <Filter
          label={w.role}
          options={names}
          value={search.role === undefined ? [] : [search.role]}
          onChange={next => narrow({ role: next.find(each => each !== search.role) })}
        />
      )}
      <FilterOne
        label={w.active}
        values={['true', 'false']}
        names={{ true: w.active, false: w.inactive }}
        value={state}
        onChange={next => narrow({ active: next && next === 'true' })}
      />
      <Toggle
        name={w.dormant}
        isOn={search.dormant ?? false}
        onChange={isOn => narrow({ dormant: isOn || undefined })}
      />
      {isNarrowed(search) && (
        <Button
          look="quiet"
          icon={X}
          onPress={() => narrow({ q: undefined, role: undefined, active: undefined, dormant: undefined })}
        >
          {w.clear}
        </Button>
      )}
    </ListFilters>
  )
}

/** Settings that somebody who reviews the accounts should know of. */
export function Remarks({ of: remarks }: { of: Answer<'GET /api/users/access-review'>['remarks'] }) {
  const { access: w } = useEvidenceWords()
  if (remarks.length === 0) return null
  return (
    <section className={styles.remarks} aria-label={w.remarks}>
      <TriangleAlert size={16} aria-hidden="true" />
      <div>
        <p className={styles.remarksTitle}>{w.remarks}</p>
        <ul>
          {remarks.map(({ code, detail }) => (
            <li key={code}>{detail}</li>
          ))}
        </ul>
      </div>
    </section>
  )
}

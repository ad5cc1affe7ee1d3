import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, TriangleAlert, UsersRound, X } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { addressOf } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import list from '../../records/list/list-page.module.css'
import { Nothing } from '../../records/list/nothing.tsx'
import { Button } from '../../ui/button.tsx'
import { Filter, Toggle } from '../../ui/filter.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { save } from '../../ui/save.ts'
import { SearchText } from '../../ui/search-text.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useMe } from '../session/session.ts'
import styles from './access.module.css'
import { AccessNav } from './access-nav.tsx'
import { AccountTable } from './account-table.tsx'
import { type AccountsSearch, defaultSort, filtersOf, isNarrowed, page_size, queryOf } from './search.ts'

/** Who may do what here, now? */
export function AccountsPage() {
  const { access: w } = useEvidenceWords()
  const search = useSearch({ from: '/app/access-review' })
  const navigate = useNavigate({ from: paths.accounts })
  const { permissions } = useMe()
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/users/access-review', { query: queryOf(search) }),
  )
  useTitle(w.title)
  const narrow = (change: AccountsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <div className={list.page}>
      <header className={list.head}>
        <div>
          <h1>{w.title}</h1>
          <p className="soft">{w.about}</p>
        </div>
        <div className={list.tools} data-print="none">
          {data && data.total > 0 && (
            <Button
              icon={Download}
              onPress={() =>
                save(addressOf('GET /api/users/access-review', { query: { ...filtersOf(search), format: 'csv' } }))
              }
            >
              {w.export}
            </Button>
          )}
          {permissions.includes('users.review_access') && (
            <Button look="main" onPress={() => void navigate({ to: paths.newAccessReview })}>
              {w.begin}
            </Button>
          )}
        </div>
      </header>
      <AccessNav />
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          {data && <Remarks of={data.remarks} />}
          <Filters search={search} narrow={narrow} />
          {!data ? (
            <Loading lines={14} />
          ) : data.items.length === 0 ? (
            <Nothing
              isNarrowed={isNarrowed(search)}
              icon={UsersRound}
              title={w.none}
              hint=""
              onClear={() => void navigate({ search: {} })}
            />
          ) : (
            <>
              <AccountTable
                label={w.title}
                rows={data.items}
                sort={search.sort ?? defaultSort}
                onSort={sort => narrow({ sort })}
                isOld={isPlaceholderData}
              />
              <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
            </>
          )}
        </>
      )}
    </div>
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
  const state = search.active === undefined ? undefined : String(search.active)
  return (
    <search className={list.filters} aria-label={w.filters} data-print="none">
      <SearchText label={w.search} text={search.q ?? ''} onChange={q => narrow({ q })} />
      <div className={list.chips}>
        {names.length > 0 && (
          <Filter
            label={w.role}
            options={names}
            value={search.role === undefined ? [] : [search.role]}
            onChange={next => narrow({ role: next.find(each => each !== search.role) })}
          />
        )}
        <Filter
          label={w.active}
          options={[
            { id: 'true', name: w.active },
            { id: 'false', name: w.inactive },
          ]}
          value={state === undefined ? [] : [state]}
          onChange={next => {
            const chosen = next.find(each => each !== state)
            narrow({ active: chosen === undefined ? undefined : chosen === 'true' })
          }}
        />
        <Toggle isOn={search.dormant ?? false} onChange={isOn => narrow({ dormant: isOn || undefined })}>
          {w.dormant}
        </Toggle>
        {isNarrowed(search) && (
          <Button
            look="quiet"
            icon={X}
            onPress={() => narrow({ q: undefined, role: undefined, active: undefined, dormant: undefined })}
          >
            {w.clear}
          </Button>
        )}
      </div>
    </search>
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

import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import styles from '../../records/list/list-page.module.css'
import { Nothing } from '../../records/list/nothing.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { AuditFilters } from './audit-filters.tsx'
import { AuditNav } from './audit-nav.tsx'
import { Entries } from './entries.tsx'
import { ExportEntries } from './export-entries.tsx'
import { type AuditSearch, isNarrowed, page_size, queryOf } from './search.ts'
import { Verification } from './verification.tsx'

/** Who did what, when and why, and is it whole? */
export function AuditPage() {
  const { audit: w } = useEvidenceWords()
  const search = useSearch({ from: '/app/audit' })
  const navigate = useNavigate({ from: paths.audit })
  const { data, error, isPlaceholderData, refetch } = useQuery(askPage('GET /api/audit/', { query: queryOf(search) }))
  useTitle(w.title)

  const narrow = (change: AuditSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{w.title}</h1>
        <div className="row" data-print="none">
          <ExportEntries search={search} total={data?.total} />
        </div>
      </header>
      <AuditNav />
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : (
        <>
          <Verification />
          <AuditFilters search={search} narrow={narrow} first={data?.items[0]} />
          {!data ? (
            <Loading lines={14} />
          ) : data.items.length === 0 ? (
            <Nothing
              isNarrowed={isNarrowed(search)}
              icon={ScrollText}
              title={w.none}
              hint={w.noneHint}
              onClear={() => void navigate({ search: {} })}
            />
          ) : (
            <>
              <Entries entries={data.items} isOld={isPlaceholderData} />
              <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
            </>
          )}
        </>
      )}
    </div>
  )
}

import { Building2, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat } from '../../words/index.ts'
import styles from './control-panel.module.css'
import { PageHead } from './page-head.tsx'
import type { PageProps } from './session.ts'
import { mib, type Tenant } from './tenant.ts'
import { CloseDialog, CreateDialog, QuotaDialog } from './tenant-dialogs.tsx'
import { bytesText } from './texts.ts'
import { usePanelQuery } from './use-panel-query.ts'
import { usePanelWords } from './words.ts'

type Act = { kind: 'create' } | { kind: 'close' | 'quota'; tenant: Tenant }

const page_size = 25

/** Who is on this installation, and how much do they store? */
export function TenantsPage({ onSessionEnded }: PageProps) {
  const { tenants: w, pages } = usePanelWords()
  const [q, setQ] = useState('')
  const [page, setPage] = useState(1)
  const [sort, setSort] = useState('name:asc')
  const [act, setAct] = useState<Act>()
  const { data, error, isPlaceholderData, refetch } = usePanelQuery(
    'GET /api/platform/tenants/',
    { page, page_size, sort, ...(q && { q }) },
    { onSessionEnded },
  )
  const columns = useColumns(setAct)
  const done = () => {
    setAct(undefined)
    void refetch()
  }
  return (
    <>
      <PageHead title={pages.tenants} about={w.about}>
        <Button look="main" icon={Plus} onPress={() => setAct({ kind: 'create' })}>
          {w.create}
        </Button>
      </PageHead>
      <search>
        <SearchText
          label={w.search}
          text={q}
          onChange={next => {
            setQ(next ?? '')
            setPage(1)
          }}
        />
      </search>
      {error && error.status !== 401 ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={8} />
      ) : data.items.length === 0 ? (
        <Empty icon={Building2} title={q ? w.noneMatch : w.noneYet}>
          {!q && <p>{w.noneYetHint}</p>}
        </Empty>
      ) : (
        <div className={styles.list}>
          <DataTable
            label={pages.tenants}
            columns={columns}
            rows={data.items}
            rowKey={({ id }) => id}
            sort={sort}
            onSort={setSort}
            isOld={isPlaceholderData}
          />
          <Pager of={data} size={page_size} onPage={setPage} />
        </div>
      )}
      {act?.kind === 'create' && <CreateDialog onClose={done} />}
      {act?.kind === 'close' && <CloseDialog tenant={act.tenant} onClose={done} />}
      {act?.kind === 'quota' && <QuotaDialog tenant={act.tenant} onClose={done} />}
    </>
  )
}

function useColumns(onAct: (act: Act) => void): Column<Tenant>[] {
  const { acts, tenants: w } = usePanelWords()
  const { day } = useFormat()
  return [
    {
      id: 'name',
      title: w.name,
      sort: 'name',
      isHeading: true,
      cell: ({ name, slug }) => (
        <>
          {name} <span className="soft">{slug}</span>
        </>
      ),
    },
    {
      id: 'state',
      title: w.state,
      cell: ({ is_active }) => <Status of={is_active ? 'active' : 'inactive'} name={is_active ? w.open : w.closed} />,
    },
    { id: 'storage', title: w.storage, cell: tenant => <Storage of={tenant} /> },
    { id: 'created', title: w.created, sort: 'created_at', rank: 1, cell: ({ created_at }) => day(created_at) },
    {
      id: 'acts',
      title: acts,
      cell: tenant => {
        const toggle = tenant.is_active ? w.close : w.reopen
        return (
          <span className={styles.acts}>
            <Button
              look="quiet"
              aria-label={w.actsOn(w.quota, tenant.name)}
              onPress={() => onAct({ kind: 'quota', tenant })}
            >
              {w.quota}
            </Button>
            <Button
              look="quiet"
              aria-label={w.actsOn(toggle, tenant.name)}
              onPress={() => onAct({ kind: 'close', tenant })}
            >
              {toggle}
            </Button>
          </span>
        )
      },
    },
  ]
}

function Storage({ of: { storage_bytes, storage_files, storage_quota_mb } }: { of: Tenant }) {
  const { tenants: w } = usePanelWords()
  const { locale } = useFormat()
  const used = bytesText(storage_bytes, locale)
  const part = storage_quota_mb === null ? 0 : storage_bytes / (storage_quota_mb * mib)
  return (
    <span className={styles.storage}>
      {storage_quota_mb !== null && (
        <svg className={part >= 0.9 ? styles.meterFull : styles.meter} height="8" aria-hidden="true">
          <rect width="100%" height="8" rx="4" />
          <rect width={`${(Math.min(1, part) * 100).toFixed(2)}%`} height="8" rx="4" />
        </svg>
      )}
      <span>
        {storage_quota_mb === null ? used : w.usedOf(used, bytesText(storage_quota_mb * mib, locale))}{' '}
        <span className="soft">
          {w.files(storage_files)}
          {storage_quota_mb === null && ` · ${w.unlimited}`}
        </span>
      </span>
    </span>
  )
}

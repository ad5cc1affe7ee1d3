import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Ban, Signature as SignatureIcon, X } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import styles from '../../records/list/list-page.module.css'
import { Nothing } from '../../records/list/nothing.tsx'
import { PersonFilter } from '../../records/list/person-filter.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Person } from '../../ui/person.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { defaultSort, isNarrowed, kinds, meanings, page_size, queryOf, type SignaturesSearch } from './search.ts'
import look from './signature.module.css'

type Row = Answer<'GET /api/signatures/'>['items'][number]

/** Who signed what, with which meaning. */
export function SignaturesPage() {
  const { signatures: w } = useEvidenceWords()
  const search = useSearch({ from: '/app/signatures' })
  const navigate = useNavigate({ from: paths.signatures })
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/signatures/', { query: queryOf(search) }),
  )
  useTitle(w.title)
  const narrow = (change: SignaturesSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{w.title}</h1>
        <div className={styles.tools} data-print="none">
          <Button look="main" icon={SignatureIcon} onPress={() => void navigate({ to: paths.verify })}>
            {w.verifyCopy}
          </Button>
        </div>
      </header>
      <Filters search={search} narrow={narrow} />
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={14} />
      ) : data.items.length === 0 ? (
        <Nothing
          isNarrowed={isNarrowed(search)}
          icon={SignatureIcon}
          title={w.empty}
          hint={w.emptyHint}
          onClear={() => void navigate({ search: {} })}
        />
      ) : (
        <>
          <List
            rows={data.items}
            sort={search.sort ?? defaultSort}
            onSort={sort => narrow({ sort })}
            isOld={isPlaceholderData}
          />
          <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
        </>
      )}
    </div>
  )
}

function Filters({ search, narrow }: { search: SignaturesSearch; narrow: (change: SignaturesSearch) => void }) {
  const { signatures: w } = useEvidenceWords()
  const { permissions } = useMe()
  /** The service takes one value of each. */
  const one = <T extends string>(next: string[], now: T | undefined) => next.find(each => each !== now) as T | undefined
  const state = search.void === undefined ? undefined : String(search.void)
  return (
    <search className={styles.filters} aria-label={w.filters} data-print="none">
      <SearchText label={w.search} text={search.q ?? ''} onChange={q => narrow({ q })} />
      <div className={styles.chips}>
        <Filter
          label={w.kind}
          options={kinds.map(id => ({ id, name: w.kinds[id] }))}
          value={search.kind ? [search.kind] : []}
          onChange={next => narrow({ kind: one(next, search.kind), id: undefined })}
        />
        <Filter
          label={w.meaning}
          options={meanings.map(id => ({ id, name: w.meanings[id] }))}
          value={search.meaning ? [search.meaning] : []}
          onChange={next => narrow({ meaning: one(next, search.meaning) })}
        />
        {permissions.includes('users.read') && (
          <PersonFilter
            label={w.signer}
            value={search.signer === undefined ? [] : [search.signer]}
            onChange={next => narrow({ signer: next.find(each => each !== search.signer) })}
          />
        )}
        <Filter
          label={w.void}
          options={[
            { id: 'false', name: w.valid },
            { id: 'true', name: w.void },
          ]}
          value={state === undefined ? [] : [state]}
          onChange={next => {
            const chosen = one(next, state)
            narrow({ void: chosen === undefined ? undefined : chosen === 'true' })
          }}
        />
        {isNarrowed(search) && (
          <Button
            look="quiet"
            icon={X}
            onPress={() =>
              narrow({
                ...{ q: undefined, kind: undefined, id: undefined },
                ...{ meaning: undefined, signer: undefined, void: undefined },
              })
            }
          >
            {w.clear}
          </Button>
        )}
      </div>
    </search>
  )
}

interface ListProps {
  rows: Row[]
  sort: string
  onSort: (sort: string) => void
  isOld: boolean
}

function List({ rows, sort, onSort, isOld }: ListProps) {
  const { signatures: w } = useEvidenceWords()
  const { moment } = useFormat()
  const columns: Column<Row>[] = [
    {
      id: 'record',
      title: w.columns.record,
      isHeading: true,
      cell: ({ id, resource_number, document_version }) => (
        <Link to={paths.signature} params={{ id }}>
          {resource_number}
          {document_version !== null && `, ${w.versionOf(document_version)}`}
        </Link>
      ),
    },
    {
      id: 'meaning',
      title: w.columns.meaning,
      cell: row => (
        <span className={look.meaning}>
          {w.meanings[row.signature_type]}
          {row.void && (
            <span className={look.voidMark}>
              <Ban size={12} aria-hidden="true" />
              {w.void}
            </span>
          )}
        </span>
      ),
    },
    { id: 'signer', title: w.columns.signer, cell: row => <Person of={row.signer} /> },
    {
      id: 'signed',
      title: w.columns.signed,
      sort: 'signed_at',
      rank: 3,
      cell: row => <time dateTime={row.signed_at}>{moment(row.signed_at)}</time>,
    },
    {
      id: 'code',
      title: w.columns.code,
      rank: 2,
      cell: row => <code className={look.code}>{row.verification_code}</code>,
    },
  ]
  return (
    <DataTable
      label={w.title}
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      sort={sort}
      onSort={onSort}
      sortLabel={w.sortBy}
      isOld={isOld}
    />
  )
}

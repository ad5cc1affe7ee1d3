import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Ban, Signature as SignatureIcon, X } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import { PersonFilter } from '../../records/list/person-filter.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { Person } from '../../ui/person.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { defaultSort, isNarrowed, kinds, meanings, queryOf, type SignaturesSearch } from './search.ts'
import look from './signature.module.css'

type Row = Answer<'GET /api/signatures/'>['items'][number]

/** Who signed what, with which meaning. */
export function SignaturesPage() {
  const { signatures: w } = useEvidenceWords()
  const search = useSearch({ from: '/app/signatures' })
  const navigate = useNavigate({ from: paths.signatures })
  const found = useQuery(askPage('GET /api/signatures/', { query: queryOf(search) }))
  const columns = useSignatureColumns()
  useTitle(w.title)
  const narrow = (change: SignaturesSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <ListPage
      title={w.title}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      sort={search.sort ?? defaultSort}
      narrow={narrow}
      begin={<Begin icon={SignatureIcon} name={w.verifyCopy} onPress={() => void navigate({ to: paths.verify })} />}
      isNarrowed={isNarrowed(search)}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: SignatureIcon, title: w.empty, hint: w.emptyHint }}
    >
      <Filters search={search} narrow={narrow} />
    </ListPage>
  )
}

function Filters({ search, narrow }: { search: SignaturesSearch; narrow: (change: SignaturesSearch) => void }) {
  const { signatures: w } = useEvidenceWords()
  const { permissions } = useMe()
  const state = search.void === undefined ? undefined : (`${search.void}` as const)
  return (
    <ListFilters search={w.search} text={search.q} onSearch={q => narrow({ q })}>
      <FilterOne
        label={w.kind}
        values={kinds}
        names={w.kinds}
        value={search.kind}
        onChange={kind => narrow({ kind, id: undefined })}
      />
      <FilterOne
        label={w.meaning}
        values={meanings}
        names={w.meanings}
        value={search.meaning}
        onChange={meaning => narrow({ meaning })}
      />
      {permissions.includes('users.read') && (
        <PersonFilter
          label={w.signer}
          value={search.signer === undefined ? [] : [search.signer]}
          onChange={next => narrow({ signer: next.find(each => each !== search.signer) })}
        />
      )}
      <FilterOne
        label={w.void}
        values={['false', 'true']}
        names={{ false: w.valid, true: w.void }}
        value={state}
        onChange={next => narrow({ void: next && next === 'true' })}
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
    </ListFilters>
  )
}

function useSignatureColumns(): Column<Row>[] {
  const { signatures: w } = useEvidenceWords()
  const { moment } = useFormat()
  return [
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
}

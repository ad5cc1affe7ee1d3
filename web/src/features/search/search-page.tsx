import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FileSearch, Search, X } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { pageOfRecord } from '../../app/addresses.ts'
import { Button } from '../../ui/button.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Snippet } from '../../ui/snippet.tsx'
import { markedIn } from '../../ui/snippet-pieces.ts'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import {
  askedOf,
  asksRecords,
  asksTexts,
  type Kind,
  kinds,
  nameOfSearch,
  page_size,
  type TextSearch,
} from './search.ts'
import styles from './search-page.module.css'
import { useSearchWords } from './words.ts'

type Hit = Answer<'GET /api/search/'>['items'][number]
type Found = Answer<'GET /api/find'>['items'][number]

const isNarrowed = ({ kind, status, type }: TextSearch) => Boolean(kind ?? status ?? type)
const everything = { kind: undefined, status: undefined, type: undefined }

/** Where does it say that? */
export function SearchPage() {
  const w = useSearchWords()
  const search = useSearch({ from: '/app/search' })
  const navigate = useNavigate({ from: '/search' })
  const texts = useQuery({ ...askPage('GET /api/search/', { query: askedOf(search) }), enabled: asksTexts(search) })
  const named = useQuery({ ...askPage('GET /api/find', { query: nameOfSearch(search) }), enabled: asksRecords(search) })
  useTitle(search.q ? `${search.q} · ${w.title}` : w.title)

  const narrow = (change: TextSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  const isWanted = (kind: Kind) => kind !== 'document' && (search.kind?.includes(kind) ?? true)
  const records = asksRecords(search) ? (named.data?.items ?? []).filter(({ kind }) => isWanted(kind)) : []
  const hits = asksTexts(search) ? (texts.data?.items ?? []) : []
  const error = texts.error ?? named.error
  const isReading = (asksTexts(search) && !texts.data) || (asksRecords(search) && !named.data)
  return (
    <div className={styles.page}>
      <h1>{w.title}</h1>
      <Filters search={search} narrow={narrow} />
      {search.q === undefined ? (
        <Empty icon={Search} title={w.begin}>
          <p>{w.beginHint}</p>
        </Empty>
      ) : error ? (
        <Unreadable error={error} onRetry={() => void Promise.all([texts.refetch(), named.refetch()])} />
      ) : isReading ? (
        <Loading lines={9} />
      ) : records.length + hits.length === 0 ? (
        <Empty icon={FileSearch} title={w.none}>
          <p>{w.noneHint}</p>
          {isNarrowed(search) && <Button onPress={() => narrow(everything)}>{w.clear}</Button>}
        </Empty>
      ) : (
        <>
          {records.length > 0 && <Records found={records} />}
          {hits.length > 0 && (
            <section aria-labelledby="texts">
              {records.length > 0 && <h2 id="texts">{w.texts}</h2>}
              {records.length === 0 && (
                <h2 id="texts" className="visually-hidden">
                  {w.texts}
                </h2>
              )}
              <ol className={styles.hits} aria-busy={texts.isPlaceholderData}>
                {hits.map(hit => (
                  <li key={hit.document_id}>
                    <HitOf hit={hit} />
                  </li>
                ))}
              </ol>
            </section>
          )}
          {texts.data && hits.length > 0 && (
            <>
              {!texts.data.is_total_exact && <p className="soft">{w.more}</p>}
              <Pager of={texts.data} size={page_size} onPage={page => narrow({ page })} />
            </>
          )}
        </>
      )}
    </div>
  )
}

/** Records of other kinds, which are found by their numbers and titles. */
function Records({ found }: { found: Found[] }) {
  const w = useSearchWords()
  const { found: f } = useWords()
  return (
    <section aria-labelledby="records">
      <h2 id="records">{w.records}</h2>
      <ul className={styles.records}>
        {found.map(({ kind, id, number, title, status }) => {
          const page = pageOfRecord(kind, id)
          return (
            <li key={`${kind} ${id}`}>
              <span className="soft">{f.kinds[kind]}</span>
              <span className="number">{number}</span>
              {page === undefined ? <span>{title}</span> : <Link to={page}>{title}</Link>}
              <Status of={status} size="s" />
            </li>
          )
        })}
      </ul>
    </section>
  )
}

function HitOf({
  hit: { document_id: id, number, title, version, status, snippet, page, heading, document_type },
}: {
  hit: Hit
}) {
  const w = useSearchWords()
  const { document } = useWords()
  const place = [heading, page !== null && document.onPage(page)].filter(each => each).join(', ')
  const mark = snippet === null ? '' : markedIn(snippet)
  return (
    <article>
      <h3>
        <Link
          to="/documents/$id"
          params={{ id }}
          search={{ version, ...(page !== null && { page }), ...(mark !== '' && { mark }) }}
        >
          {title}
        </Link>
        <Status of={status} size="s" />
      </h3>
      <p className="soft">
        <span className="number">{number}</span> · {document.versionOf(version)} · {document_type.name}
      </p>
      <p className={styles.snippet}>{snippet === null ? <em>{w.noText}</em> : <Snippet of={snippet} />}</p>
      {place !== '' && <p className="soft">{place}</p>}
    </article>
  )
}

function Filters({ search, narrow }: { search: TextSearch; narrow: (change: TextSearch) => void }) {
  const w = useSearchWords()
  const { found: f, states } = useWords()
  const types = useQuery({
    ...ask('GET /api/document-types/', { query: { page_size: 100, sort: 'name:asc' } }),
    staleTime: 10 * 60_000,
  })
  const few = <T,>(chosen: T[]) => (chosen.length > 0 ? chosen : undefined)
  return (
    <search className="row" aria-label={w.title} data-print="none">
      <SearchText
        label={w.field}
        text={search.q ?? ''}
        onChange={q => narrow({ q })}
        autoFocus={search.q === undefined}
      />
      <Filter
        label={w.kind}
        options={kinds.map(id => ({ id, name: f.kinds[id] }))}
        value={search.kind ?? []}
        onChange={kind => narrow({ kind: few(kinds.filter(each => kind.includes(each))) })}
      />
      <Filter
        label={w.status}
        options={Object.entries(states).map(([id, name]) => ({ id, name }))}
        value={search.status ?? []}
        onChange={status => narrow({ status: few(status) })}
      />
      <Filter
        label={w.type}
        options={(types.data?.items ?? []).map(({ id, name }) => ({ id: String(id), name }))}
        value={(search.type ?? []).map(String)}
        onChange={type => narrow({ type: few(type.map(Number)) })}
      />
      {isNarrowed(search) && (
        <Button look="quiet" icon={X} onPress={() => narrow(everything)}>
          {w.clear}
        </Button>
      )}
    </search>
  )
}

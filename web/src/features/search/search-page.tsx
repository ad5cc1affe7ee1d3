import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { FileSearch, Search, X } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { Snippet } from '../../ui/snippet.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { askedOf, page_size, type TextSearch } from './search.ts'
import styles from './search-page.module.css'

type Hit = Answer<'GET /api/search/'>['items'][number]

/** Where does it say that? */
export function SearchPage() {
  const { textSearch: w } = useWords()
  const search = useSearch({ from: '/app/search' })
  const navigate = useNavigate({ from: '/search' })
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...askPage('GET /api/search/', { query: askedOf(search) }),
    enabled: search.q !== undefined,
  })
  useTitle(search.q ? `${search.q} · ${w.title}` : w.title)

  const narrow = (change: TextSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <div className={styles.page}>
      <h1>{w.title}</h1>
      <Filters search={search} narrow={narrow} />
      {search.q === undefined ? (
        <Empty icon={<Search size={22} aria-hidden="true" />} title={w.begin}>
          <p>{w.beginHint}</p>
        </Empty>
      ) : error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={9} />
      ) : data.items.length === 0 ? (
        <Empty icon={<FileSearch size={22} aria-hidden="true" />} title={w.none}>
          <p>{w.noneHint}</p>
          {(search.status || search.type) && (
            <Button onPress={() => narrow({ status: undefined, type: undefined })}>{w.clear}</Button>
          )}
        </Empty>
      ) : (
        <>
          <ol className={styles.hits} aria-busy={isPlaceholderData}>
            {data.items.map(hit => (
              <li key={hit.document_id}>
                <HitOf hit={hit} />
              </li>
            ))}
          </ol>
          <Pager of={data} size={page_size} onPage={page => narrow({ page })} />
        </>
      )}
    </div>
  )
}

function HitOf({
  hit: { document_id: id, number, title, version, status, snippet, page, heading, document_type },
}: {
  hit: Hit
}) {
  const { textSearch: w, document } = useWords()
  const place = [heading, page !== null && document.onPage(page)].filter(each => each).join(', ')
  return (
    <article>
      <h2>
        <Link to="/documents/$id" params={{ id }} search={{ version, ...(page !== null && { page }) }}>
          {title}
        </Link>
        <Status of={status} size="s" />
      </h2>
      <p className="soft">
        <span className="number">{number}</span> · {document.versionOf(version)} · {document_type.name}
      </p>
      <p className={styles.snippet}>{snippet === null ? <em>{w.noText}</em> : <Snippet of={snippet} />}</p>
      {place !== '' && <p className="soft">{place}</p>}
    </article>
  )
}

function Filters({ search, narrow }: { search: TextSearch; narrow: (change: TextSearch) => void }) {
  const { textSearch: w, states } = useWords()
  const types = useQuery({
    ...ask('GET /api/document-types/', { query: { page_size: 100, sort: 'name:asc' } }),
    staleTime: 10 * 60_000,
  })
  return (
    <search className={styles.filters} aria-label={w.title} data-print="none">
      <SearchText
        label={w.field}
        text={search.q ?? ''}
        onChange={q => narrow({ q })}
        autoFocus={search.q === undefined}
      />
      <Filter
        label={w.status}
        options={Object.entries(states).map(([id, name]) => ({ id, name }))}
        value={search.status ?? []}
        onChange={status => narrow({ status })}
      />
      <Filter
        label={w.type}
        options={(types.data?.items ?? []).map(({ id, name }) => ({ id: String(id), name }))}
        value={(search.type ?? []).map(String)}
        onChange={type => narrow({ type: type.map(Number) })}
      />
      {((search.status ?? []).length > 0 || (search.type ?? []).length > 0) && (
        <Button
          look="quiet"
          icon={<X size={14} aria-hidden="true" />}
          onPress={() => narrow({ status: undefined, type: undefined })}
        >
          {w.clear}
        </Button>
      )}
    </search>
  )
}

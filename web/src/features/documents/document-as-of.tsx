import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ask } from '../../api/queries.ts'
import { AsOfBar } from '../../records/as-of.tsx'
import page from '../../records/record-page.module.css'
import { DocumentContent } from '../../records/viewer/document-content.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { Facts } from './facts.tsx'

/** A document as it was, to be read: what could be done then is over, and nothing can be pressed. */
export function DocumentAsOf({ id, as_of, version }: { id: number; as_of: string; version: string | undefined }) {
  const { document: w, reading: r } = useWords()
  const { data, error, refetch } = useQuery(ask('GET /api/documents/{id}', { path: { id }, query: { as_of, version } }))
  useTitle(data && `${data.number} ${data.title}`)
  return (
    <div className={page.page}>
      <header className={page.head}>
        <AsOfBar
          as_of={as_of}
          back={
            <Link to="/documents/$id" params={{ id }}>
              {r.backToToday}
            </Link>
          }
          reconstruction={data?.reconstruction}
          leftOut={r.leftOut}
        />
        {data && (
          <>
            <h1>
              <span className={page.number}>{data.number}</span> {data.title}
            </h1>
            <p className={page.state}>
              <Status of={data.status} />
              <span>{w.versionOf(data.version)}</span>
              <span className="soft">{data.document_type.name}</span>
            </p>
          </>
        )}
      </header>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className={page.columns}>
          <DocumentContent document={data} version={data.version} />
          <div className={page.side}>
            <Facts document={data} />
          </div>
        </div>
      ) : (
        <Loading lines={12} />
      )}
    </div>
  )
}

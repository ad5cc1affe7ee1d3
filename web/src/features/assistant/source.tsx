import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { ask } from '../../api/queries.ts'
import { DocumentContent } from '../../records/viewer/document-content.tsx'
import { Button } from '../../ui/button.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import styles from './assistant.module.css'
import type { Citation } from './use-answer.ts'
import { useAssistantWords } from './words.ts'

/** The document that a statement rests on, at its page, with the quote marked. */
export function Source({ of: citation, onClose }: { of: Citation; onClose: () => void }) {
  const w = useAssistantWords()
  const { document: dw } = useWords()
  const { document_id: id, version, page, quote, number, title } = citation
  const { data, error, refetch } = useQuery(ask('GET /api/documents/{id}', { path: { id }, query: { version } }))
  const heading = useRef<HTMLHeadingElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another source is shown from its head on
  useEffect(() => heading.current?.focus(), [citation])
  const first = page ?? undefined
  return (
    <aside className={styles.source} aria-label={w.source(citation.mark, `${number} ${title}`)}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          <span className="number">{number}</span> {title}
        </h2>
        <Button look="icon" label={w.close} icon={X} onPress={onClose} />
        <p className="soft">
          {dw.versionOf(version)}
          {page !== null && ` · ${dw.onPage(page)}`}
        </p>
        <p>
          <Link to="/documents/$id" params={{ id }} search={{ version, page: first, mark: quote.slice(0, 300) }}>
            {w.open}
          </Link>
        </p>
      </header>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <DocumentContent document={data} version={version} first={first} mark={quote} />
      ) : (
        <Loading lines={10} />
      )}
    </aside>
  )
}

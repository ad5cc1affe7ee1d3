import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { ask } from '../../api/queries.ts'
import { DocumentContent } from '../../records/viewer/document-content.tsx'
import { NotRead } from '../../ui/notes.tsx'
import styles from './training-page.module.css'
import type { Assignment } from './training-steps.ts'
import { useTrainingWords } from './words.ts'

interface Props {
  mine: Assignment
  isRead: boolean
  /** The pages are there. */
  onOpened: () => void
  /** They were read to the last one. */
  onRead: () => void
  next: ReactNode
}

/** The version that is to be read, by its pages. */
export function ReadStep({ mine: { document, document_version }, isRead, onOpened, onRead, next }: Props) {
  const { doing: w } = useTrainingWords()
  const id = document?.id ?? 0
  const version = document_version ?? ''
  const { data, error, refetch } = useQuery(ask('GET /api/documents/{id}', { path: { id }, query: { version } }))
  const opened = useRef(onOpened)
  opened.current = onOpened
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  return (
    <>
      <p className={styles.what}>
        <b>{data.number}</b> {data.title} · {w.version(version)}
      </p>
      <div className={styles.reading}>
        <DocumentContent
          document={data}
          version={version}
          onPage={() => opened.current()}
          onEnd={() => {
            opened.current()
            if (!isRead) onRead()
          }}
        />
      </div>
      <footer className={styles.bar} data-print="none">
        <span className="soft">{isRead ? w.isRead : w.notRead}</span>
        {next}
      </footer>
    </>
  )
}

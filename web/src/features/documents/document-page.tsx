import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { RecordHead } from '../../records/record-head.tsx'
import styles from '../../records/record-page.module.css'
import { Disposed, DocumentRetention } from '../../records/retention.tsx'
import { DocumentContent } from '../../records/viewer/document-content.tsx'
import type { Quote } from '../../records/viewer/quote.ts'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { keepDraft } from '../../ui/use-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { ApprovalPanel } from './approval-panel.tsx'
import { Comments } from './comments.tsx'
import { commentsOf } from './comments-query.ts'
import { Copies } from './copies.tsx'
import { useCopyWords } from './copy-words.ts'
import { DocumentActions } from './document-actions.tsx'
import { DocumentAsOf } from './document-as-of.tsx'
import { documentSearch } from './document-search.ts'
import { Facts } from './facts.tsx'
import { HistoricalApprovals } from './historical-approvals.tsx'
import { useReaderWords } from './reader-words.ts'
import { Readers } from './readers.tsx'
import { draftOf, openThreads, quoteKey } from './threads.ts'
import { Timeline } from './timeline.tsx'
import { Versions } from './versions.tsx'

export function DocumentPage() {
  const { id } = useParams({ from: '/app/documents/$id' })
  const { as_of, version } = useSearch({ from: '/app/documents/$id' })
  return as_of === undefined ? (
    <DocumentToday key={id} id={id} />
  ) : (
    <DocumentAsOf id={id} as_of={as_of} version={version} />
  )
}

function DocumentToday({ id }: { id: number }) {
  const readers = useReaderWords()
  const { document: w } = useWords()
  const copies = useCopyWords()
  const { id: ownId, permissions } = useMe()
  const { tab: asked = 'read', version, page: first, mark, for: person } = useSearch({ from: '/app/documents/$id' })
  const navigate = useNavigate({ from: '/documents/$id' })
  const [page, setPage] = useState(first ?? 1)
  // Who opens a document is shown the version under way, if they may see it; who only reads, the one that is effective.
  const current = useQuery(ask('GET /api/documents/{id}', { path: { id } }))
  const usual = current.data?.pending_version?.version ?? current.data?.version
  const shown = version ?? usual
  const isOther = shown !== undefined && shown !== current.data?.version
  const other = useQuery({
    ...ask('GET /api/documents/{id}', { path: { id }, query: { version: shown } }),
    enabled: isOther && current.data !== undefined,
  })
  const comments = useQuery({ ...commentsOf(id, shown), enabled: shown !== undefined && current.data !== undefined })
  useTitle(current.data && `${current.data.number} ${current.data.title}`)

  const error = current.error ?? (isOther ? other.error : null)
  if (error) return <Unreadable error={error} onRetry={() => void Promise.all([current.refetch(), other.refetch()])} />
  const document = isOther ? other.data : current.data
  if (!current.data || !document || shown === undefined) return <Loading lines={12} />

  const { effective_version } = current.data
  // What somebody may not read of a document has no tab. Who only holds a copy of it comes to theirs by the menu.
  const showsReaders = permissions.includes('training.read_all')
  const showsCopies = asked === 'copies' || permissions.includes('documents.print_controlled')
  const tab = asked === 'training' && !showsReaders ? 'read' : asked
  const show = (next: unknown) =>
    void navigate({ search: documentSearch({ version, tab: next, for: person }), replace: true, resetScroll: false })
  /** The form of a new comment begins with it. */
  const comment = (quote: Quote) => {
    keepDraft(quoteKey(ownId, id, shown), draftOf(quote))
    show('comments')
  }
  const open = openThreads(comments.data ?? [])
  return (
    <div className={styles.page}>
      <RecordHead
        list={paths.documents}
        back={w.back}
        number={document.number}
        title={document.title}
        actions={<DocumentActions document={document} version={shown} />}
        state={
          <>
            <Status of={document.status} />
            <span>{w.versionOf(shown)}</span>
            <span className="soft">{document.document_type.name}</span>
          </>
        }
      >
        <Disposed of={document.disposal} />
        {effective_version !== null && effective_version !== shown && (
          <p className={styles.notInForce} role="note">
            <TriangleAlert size={15} aria-hidden="true" />
            {w.notInForce}
            <Link to="/documents/$id" params={{ id }} search={{ version: effective_version }}>
              {w.readInForce(effective_version)}
            </Link>
          </p>
        )}
      </RecordHead>
      <div className={styles.columns}>
        <Tabs className={styles.tabs!} selectedKey={tab} onSelectionChange={show}>
          <TabList aria-label={document.number} className={styles.list!} data-print="none">
            <Tab id="read">{w.tabs.read}</Tab>
            <Tab id="comments">
              {w.tabs.comments} {open > 0 && <span className={styles.count}>{open}</span>}
            </Tab>
            <Tab id="versions">{w.tabs.versions}</Tab>
            {showsReaders && <Tab id="training">{readers.tab}</Tab>}
            {showsCopies && <Tab id="copies">{copies.tab}</Tab>}
            <Tab id="timeline">{w.tabs.timeline}</Tab>
          </TabList>
          <TabPanel id="read" className={styles.panel!}>
            <DocumentContent
              document={document}
              version={shown}
              first={first}
              mark={mark}
              onPage={setPage}
              onQuote={permissions.includes('documents.comment') ? comment : undefined}
            />
          </TabPanel>
          <TabPanel id="comments" className={styles.panel!}>
            <Comments document={document} version={shown} page={page} />
          </TabPanel>
          <TabPanel id="versions" className={styles.panel!}>
            <Versions id={id} shown={shown} />
          </TabPanel>
          {showsReaders && (
            <TabPanel id="training" className={styles.panel!}>
              <Readers id={id} />
            </TabPanel>
          )}
          {showsCopies && (
            <TabPanel id="copies" className={styles.panel!}>
              <Copies document={document} />
            </TabPanel>
          )}
          <TabPanel id="timeline" className={styles.panel!}>
            {document.imported !== null && <HistoricalApprovals id={id} />}
            <Timeline id={id} />
          </TabPanel>
        </Tabs>
        <div className={styles.side}>
          <ApprovalPanel
            key={shown}
            document={document}
            version={shown}
            isCurrent={shown === usual}
            effective={effective_version}
            openComments={open}
          />
          <Facts document={document} />
          <DocumentRetention id={id} version={shown} />
        </div>
      </div>
    </div>
  )
}

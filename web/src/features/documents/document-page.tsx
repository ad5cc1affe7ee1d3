import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ChevronLeft, FileX2, TriangleAlert } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { Empty, Loading, Unreadable } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { ApprovalPanel } from './approval-panel.tsx'
import { Comments } from './comments.tsx'
import { commentsOf } from './comments-query.ts'
import { Copies } from './copies.tsx'
import { DocumentActions } from './document-actions.tsx'
import styles from './document-page.module.css'
import { documentSearch } from './document-search.ts'
import { Facts } from './facts.tsx'
import { Readers } from './readers.tsx'
import { Timeline } from './timeline.tsx'
import { Versions } from './versions.tsx'

type Document = Answer<'GET /api/documents/{id}'>

/** pdf.js is larger than all the rest: it comes when there is something to show. */
const PdfViewer = lazy(() => import('./pdf-viewer.tsx').then(module => ({ default: module.PdfViewer })))

export function DocumentPage() {
  const { document: w, readers, copies } = useWords()
  const { permissions } = useMe()
  const { id } = useParams({ from: '/app/documents/$id' })
  const { tab: asked = 'read', version } = useSearch({ from: '/app/documents/$id' })
  const navigate = useNavigate({ from: '/documents/$id' })
  const [page, setPage] = useState(1)
  // Who opens a document is shown the version under way, if they may see it; who only reads, the one that is effective.
  const current = useQuery(ask('GET /api/documents/{id}', { path: { id } }))
  const shown = version ?? current.data?.pending_version?.version ?? current.data?.version
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
  const open = comments.data?.items.filter(each => each.resolved_at === null).length ?? 0
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <Link to="/documents" className={styles.back}>
          <ChevronLeft size={14} aria-hidden="true" />
          {w.back}
        </Link>
        <div className={styles.title}>
          <h1>
            <span className={styles.number}>{document.number}</span> {document.title}
          </h1>
          <DocumentActions document={document} version={shown} />
        </div>
        <p className={styles.state}>
          <Status of={document.status} />
          <span>{w.versionOf(shown)}</span>
          <span className="soft">{document.document_type.name}</span>
        </p>
        {effective_version !== null && effective_version !== shown && (
          <p className={styles.notInForce} role="note">
            <TriangleAlert size={15} aria-hidden="true" />
            {w.notInForce}
            <Link to="/documents/$id" params={{ id }} search={{ version: effective_version }}>
              {w.readInForce(effective_version)}
            </Link>
          </p>
        )}
        <Printed />
      </header>
      <div className={styles.columns}>
        <Tabs
          className={styles.tabs!}
          selectedKey={tab}
          onSelectionChange={key =>
            void navigate({ search: documentSearch({ version, tab: key }), replace: true, resetScroll: false })
          }
        >
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
            <Content document={document} version={shown} onPage={setPage} />
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
            <Timeline id={id} />
          </TabPanel>
        </Tabs>
        <div className={styles.side}>
          {shown === current.data.workflow?.version && <ApprovalPanel document={document} openComments={open} />}
          <Facts document={document} />
        </div>
      </div>
    </div>
  )
}

/** On paper only: who printed it, and when. */
function Printed() {
  const { document: w } = useWords()
  const { moment } = useFormat()
  return <p className={styles.printed}>{w.printed(nameOf(useMe()), moment(new Date().toISOString()))}</p>
}

function Content({
  document,
  version,
  onPage,
}: {
  document: Document
  version: string
  onPage: (page: number) => void
}) {
  const { document: w } = useWords()
  const { day } = useFormat()
  const { name, content_type, sha256, removal } = document.file
  if (removal)
    return (
      <Empty icon={<FileX2 size={22} aria-hidden="true" />} title={w.removed}>
        <p>{w.removedHint(nameOf(removal.requested_by), nameOf(removal.decided_by), day(removal.decided_at))}</p>
        <p>{removal.reason}</p>
      </Empty>
    )
  if (content_type !== 'application/pdf')
    return (
      <Empty icon={<FileX2 size={22} aria-hidden="true" />} title={w.noPreview}>
        <p>{name}</p>
        <p>{w.noPreviewHint}</p>
      </Empty>
    )
  return (
    <Suspense fallback={<Loading lines={12} />}>
      <PdfViewer key={sha256} id={document.id} version={version} sha256={sha256} onPage={onPage} />
    </Suspense>
  )
}

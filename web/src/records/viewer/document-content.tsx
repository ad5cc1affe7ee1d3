import { Download, FileX2 } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { type Answer, addressOf } from '../../api/client.ts'
import { useWhyNot } from '../../features/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Empty, Loading } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { save } from '../../ui/save.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { Disposed } from '../retention.tsx'
import type { Quote } from './quote.ts'

/** pdf.js is larger than all the rest: it comes when there is something to show. */
const PdfViewer = lazy(() => import('./pdf-viewer.tsx').then(module => ({ default: module.PdfViewer })))

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  version: string
  /** The page to begin with. */
  first?: number | undefined
  /** Words that are looked for, or a quote. */
  mark?: string | undefined
  onPage?: (page: number) => void
  /** The end of the last page was in sight, or there are no pages that could be shown here. */
  onEnd?: () => void
  onQuote?: ((quote: Quote) => void) | undefined
}

/** The pages of the file, or why there are none and what can be done. */
export function DocumentContent({ document: { id, file }, version, first, mark, onPage, onEnd, onQuote }: Props) {
  const { document: w, printing } = useWords()
  const { day } = useFormat()
  const whyNot = useWhyNot('documents.download')
  const { name, content_type, sha256, removal } = file
  if (removal?.disposal)
    return (
      <NoPages title={w.disposed} onEnd={onEnd}>
        <p>{w.removedHint(nameOf(removal.requested_by), nameOf(removal.decided_by), day(removal.decided_at))}</p>
        <Disposed of={{ ...removal.disposal, disposed_on: removal.decided_at }} />
      </NoPages>
    )
  if (removal)
    return (
      <NoPages title={w.removed} onEnd={onEnd}>
        <p>{w.removedHint(nameOf(removal.requested_by), nameOf(removal.decided_by), day(removal.decided_at))}</p>
        <p>{removal.reason}</p>
      </NoPages>
    )
  return (
    <>
      {/* A page that is printed here would not say which version it is, and who signed it. */}
      <p data-print="only">{printing.notThePages}</p>
      <Suspense fallback={<Loading lines={12} />}>
        <PdfViewer
          key={`${sha256} ${version}`}
          id={id}
          version={version}
          sha256={sha256}
          rendition={content_type === 'application/pdf' ? 'original' : 'preview'}
          first={first}
          mark={mark}
          onQuote={onQuote}
          {...(onPage && { onPage })}
          {...(onEnd && { onEnd })}
          instead={reason => (
            <NoPages title={w.noPreview} onEnd={onEnd}>
              <p>{name}</p>
              <p>{reason}</p>
              <p>
                <Button
                  icon={Download}
                  whyNot={whyNot}
                  onPress={() =>
                    save(addressOf('GET /api/documents/{id}/download', { path: { id }, query: { version } }))
                  }
                >
                  {w.download}
                </Button>
              </p>
            </NoPages>
          )}
        />
      </Suspense>
    </>
  )
}

function NoPages({ title, onEnd, children }: { title: string; onEnd: (() => void) | undefined; children: ReactNode }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is said once, however often the page is drawn
  useEffect(() => onEnd?.(), [])
  return (
    <Empty icon={FileX2} title={title}>
      {children}
    </Empty>
  )
}

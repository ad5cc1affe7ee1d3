import { useQuery } from '@tanstack/react-query'
import { MessageSquareQuote, ZoomIn, ZoomOut } from 'lucide-react'
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy, TextLayer } from 'pdfjs-dist'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { callForFile } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { startWorker } from '../../app/worker.ts'
import { Button } from '../../ui/button.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import styles from './pdf-viewer.module.css'
import type { Quote } from './quote.ts'
import { useMarks } from './use-marks.ts'

GlobalWorkerOptions.workerPort = startWorker('pdf')

interface Props {
  id: number
  version: string
  /** Of the file: another file is another document, the same one is kept. */
  sha256: string
  /** `preview`: the service makes pages of a file of another kind. */
  rendition: 'original' | 'preview'
  /** The page that is asked for, which is shown first. */
  first?: number | undefined
  /** Words that are looked for, or a quote. */
  mark?: string | undefined
  onPage?: (page: number) => void
  /** The end of the last page was in sight. */
  onEnd?: () => void
  /** Missing: nobody here comments. */
  onQuote?: ((quote: Quote) => void) | undefined
  /** In the place of the pages that the service cannot make, with its reason. */
  instead: (reason: string) => ReactNode
}

export function PdfViewer({ id, version, sha256, rendition, first, mark, onPage, onEnd, onQuote, instead }: Props) {
  const { document: w, reading: r } = useWords()
  const [zoom, setZoom] = useState(1)
  const [page, setPage] = useState(first ?? 1)
  const viewer = useRef<HTMLDivElement>(null)
  const quote = useSelectedQuote(viewer)
  // All at once: every range that is asked for stands in the audit trail as a download of its own.
  const { data, error, refetch } = useQuery({
    queryKey: ['pdf', sha256, version],
    queryFn: async ({ signal }) => {
      const bytes = await callForFile(
        'GET /api/documents/{id}/download',
        { path: { id }, query: { version, purpose: 'view', rendition } },
        signal,
      )
      // Our policy forbids WebAssembly; for what it would decode there is JavaScript as well.
      return getDocument({ data: bytes, useWasm: false, enableXfa: false }).promise
    },
    staleTime: Infinity,
    gcTime: 60_000,
  })
  if (error instanceof Problem && error.status === 409) return instead(error.message)
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  const see = (next: number) => {
    setPage(next)
    onPage?.(next)
  }
  return (
    <div ref={viewer} className={styles.viewer} data-print="none">
      <div className={styles.bar} data-print="none">
        <span aria-live="polite">{w.viewer.page(page, data.numPages)}</span>
        {onQuote && quote && (
          <Button look="quiet" icon={MessageSquareQuote} onPress={() => onQuote(quote)}>
            {r.commentOn}
          </Button>
        )}
        <span className={styles.zoom}>
          <Button
            look="icon"
            label={w.viewer.smaller}
            icon={ZoomOut}
            isDisabled={zoom <= 0.5}
            onPress={() => setZoom(zoom - 0.25)}
          />
          <Button look="quiet" onPress={() => setZoom(1)}>
            {Math.round(zoom * 100)} % <span className="visually-hidden">{w.viewer.fit}</span>
          </Button>
          <Button
            look="icon"
            label={w.viewer.larger}
            icon={ZoomIn}
            isDisabled={zoom >= 3}
            onPress={() => setZoom(zoom + 0.25)}
          />
        </span>
      </div>
      <Pages file={data} zoom={zoom} first={first} mark={mark} onPage={see} onEnd={onEnd} label={w.viewer.pages} />
    </div>
  )
}

/** The service takes no longer one. */
const longest_quote = 2000

/** What is selected on the pages; it stays while the button is pressed that uses it. */
function useSelectedQuote(viewer: RefObject<HTMLDivElement | null>) {
  const [quote, setQuote] = useState<Quote>()
  useEffect(() => {
    const look = () => {
      const selection = getSelection()
      const at = selection?.anchorNode
      const element = at instanceof Element ? at : at?.parentElement
      if (!viewer.current || !selection || !element) return
      const paper = selection.rangeCount > 0 ? selection.getRangeAt(0).startContainer.parentElement : null
      const page = Number(paper?.closest<HTMLElement>('[data-page]')?.dataset.page)
      const text = selection.toString().replaceAll(/\s+/g, ' ').trim().slice(0, longest_quote)
      if (viewer.current.contains(element) && page > 0 && text !== '') setQuote({ page, text })
      else if (!element.closest('button')) setQuote(undefined)
    }
    document.addEventListener('selectionchange', look)
    return () => document.removeEventListener('selectionchange', look)
  }, [viewer])
  return quote
}

function Pages({
  file,
  zoom,
  first,
  mark,
  onPage,
  onEnd,
  label,
}: {
  file: PDFDocumentProxy
  zoom: number
  first: number | undefined
  mark: string | undefined
  onPage: (page: number) => void
  onEnd: (() => void) | undefined
  label: string
}) {
  const frame = useRef<HTMLDivElement>(null)
  useMarks(frame, mark)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry!.contentRect.width)))
    observer.observe(frame.current!)
    return () => observer.disconnect()
  }, [])
  const isLaidOut = width > 0
  const look = () => {
    const { scrollTop, clientHeight, scrollHeight } = frame.current!
    if (scrollTop + clientHeight >= scrollHeight - 8) onEnd?.()
  }
  useEffect(() => {
    if (isLaidOut && first !== undefined) frame.current?.querySelector(`[data-page="${first}"]`)?.scrollIntoView()
  }, [isLaidOut, first])
  return (
    <div
      ref={frame}
      className={styles.pages}
      role="document"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the pages scroll by themselves, which the keyboard must be able to do as well
      tabIndex={0}
      onScroll={look}
    >
      {isLaidOut &&
        Array.from({ length: file.numPages }, (_, index) => index + 1).map(number => (
          <Page key={number} file={file} number={number} width={Math.min(width, 900) * zoom} onSeen={onPage} />
        ))}
    </div>
  )
}

/** One page: drawn when it comes near the window, its text above it for reading aloud, searching and quoting. */
function Page({
  file,
  number,
  width,
  onSeen,
}: {
  file: PDFDocumentProxy
  number: number
  width: number
  onSeen: (page: number) => void
}) {
  const { document: w } = useWords()
  const box = useRef<HTMLDivElement>(null)
  const [isNear, setNear] = useState(number <= 2)
  const [ratio, setRatio] = useState(Math.SQRT2)
  const seen = useRef(onSeen)
  seen.current = onSeen

  useEffect(() => {
    const near = new IntersectionObserver(([entry]) => entry!.isIntersecting && setNear(true), { rootMargin: '800px' })
    const middle = new IntersectionObserver(([entry]) => entry!.isIntersecting && seen.current(number), {
      rootMargin: '-45% 0px -45% 0px',
    })
    for (const each of [near, middle]) each.observe(box.current!)
    return () => {
      for (const each of [near, middle]) each.disconnect()
    }
  }, [number])

  useEffect(() => {
    if (!isNear) return
    const canvas = document.createElement('canvas')
    const text = document.createElement('div')
    text.className = styles.text!
    let stop = () => {}
    let isStopped = false
    void file.getPage(number).then(async page => {
      const size = page.getViewport({ scale: 1 })
      const viewport = page.getViewport({ scale: width / size.width })
      const sharp = Math.min(devicePixelRatio, 2)
      if (isStopped) return
      setRatio(size.height / size.width)
      canvas.width = viewport.width * sharp
      canvas.height = viewport.height * sharp
      const drawing = page.render({ canvas, viewport, transform: [sharp, 0, 0, sharp, 0, 0] })
      stop = () => drawing.cancel()
      await drawing.promise.catch(() => undefined)
      if (isStopped) return
      text.style.setProperty('--total-scale-factor', String(viewport.scale))
      await new TextLayer({ textContentSource: page.streamTextContent(), container: text, viewport }).render()
      if (!isStopped) box.current?.replaceChildren(canvas, text)
    })
    return () => {
      isStopped = true
      stop()
    }
  }, [file, number, width, isNear])

  return (
    // biome-ignore lint/a11y/useSemanticElements: a page of paper is no set of fields
    <div
      ref={box}
      className={styles.page}
      style={{ width, height: width * ratio }}
      data-page={number}
      aria-label={w.viewer.page(number, file.numPages)}
      role="group"
    />
  )
}

import { useQuery } from '@tanstack/react-query'
import { ZoomIn, ZoomOut } from 'lucide-react'
import { GlobalWorkerOptions, getDocument, type PDFDocumentProxy, TextLayer } from 'pdfjs-dist'
// oxlint-disable-next-line import/default -- the address of a file, which Vite makes
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url'
import { useEffect, useRef, useState } from 'react'
import { callForFile } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import styles from './pdf-viewer.module.css'

// The only place where our pages make a worker: under Trusted Types its address must come from a policy, and the policy knows this one alone.
const policy = window.trustedTypes?.createPolicy('attest', {
  createScriptURL(url) {
    if (url !== workerUrl) throw new TypeError(`no script of ours: ${url}`)
    return url
  },
})
GlobalWorkerOptions.workerPort = new Worker((policy?.createScriptURL(workerUrl) ?? workerUrl) as string, {
  type: 'module',
})

interface Props {
  id: number
  version: string
  /** Of the file: another file is another document, the same one is kept. */
  sha256: string
  onPage?: (page: number) => void
}

export function PdfViewer({ id, version, sha256, onPage }: Props) {
  const { document: w } = useWords()
  const [zoom, setZoom] = useState(1)
  const [page, setPage] = useState(1)
  // All at once: every range that is asked for stands in the audit trail as a download of its own.
  const { data, error, refetch } = useQuery({
    queryKey: ['pdf', sha256],
    queryFn: async ({ signal }) => {
      const bytes = await callForFile(
        'GET /api/documents/{id}/download',
        { path: { id }, query: { version, purpose: 'view' } },
        signal,
      )
      // Our policy forbids WebAssembly; for what it would decode there is JavaScript as well.
      return getDocument({ data: bytes, useWasm: false, enableXfa: false }).promise
    },
    staleTime: Infinity,
    gcTime: 60_000,
  })
  if (error) return <Unreadable error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading lines={12} />
  const see = (next: number) => {
    setPage(next)
    onPage?.(next)
  }
  return (
    <div className={styles.viewer}>
      <div className={styles.bar} data-print="none">
        <span aria-live="polite">{w.viewer.page(page, data.numPages)}</span>
        <span className={styles.zoom}>
          <Button
            look="icon"
            label={w.viewer.smaller}
            icon={<ZoomOut size={16} />}
            isDisabled={zoom <= 0.5}
            onPress={() => setZoom(zoom - 0.25)}
          />
          <Button look="quiet" onPress={() => setZoom(1)}>
            {Math.round(zoom * 100)} % <span className="visually-hidden">{w.viewer.fit}</span>
          </Button>
          <Button
            look="icon"
            label={w.viewer.larger}
            icon={<ZoomIn size={16} />}
            isDisabled={zoom >= 3}
            onPress={() => setZoom(zoom + 0.25)}
          />
        </span>
      </div>
      <Pages file={data} zoom={zoom} onPage={see} label={w.viewer.pages} />
    </div>
  )
}

function Pages({
  file,
  zoom,
  onPage,
  label,
}: {
  file: PDFDocumentProxy
  zoom: number
  onPage: (page: number) => void
  label: string
}) {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry!.contentRect.width)))
    observer.observe(frame.current!)
    return () => observer.disconnect()
  }, [])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the pages scroll by themselves, which the keyboard must be able to do as well
    <div ref={frame} className={styles.pages} role="document" aria-label={label} tabIndex={0}>
      {width > 0 &&
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

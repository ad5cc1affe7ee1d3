import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import { ask } from '../../api/queries.ts'
import { useFormat, useWords } from '../../words/index.ts'
import bar from '../as-of.module.css'
import { AsOfBar } from '../as-of.tsx'
import { sizeInWords } from '../fields/file-rules.ts'
import page from '../record-page.module.css'
import type { CaseKind } from './case.ts'
import { Late } from './late.tsx'
import styles from './parts.module.css'
import { useCaseWords } from './words.ts'

interface Props {
  kind: CaseKind
  id: number
  as_of: string
  reconstruction: { unknown: unknown[]; left_out: string[] } | undefined
  head: ReactNode
  children: ReactNode
  side: ReactNode
}

/** A deviation or a CAPA as it was, to be read: nothing can be pressed. */
export function CaseAsOf({ kind, id, as_of, reconstruction, head, children, side }: Props) {
  const cases = useCaseWords()
  const { reading: w } = useWords()
  return (
    <div className={page.page}>
      <div className={bar.above}>
        <AsOfBar
          as_of={as_of}
          back={
            <Link to={`/${kind}/$id`} params={{ id }} search={{}}>
              {w.backToToday}
            </Link>
          }
          reconstruction={reconstruction}
          leftOut={cases.asOfLeftOut}
        />
      </div>
      {head}
      <div className={page.columns}>
        <div>{children}</div>
        <div className={page.side}>{side}</div>
      </div>
    </div>
  )
}

interface DueProps {
  of: { due_date: string; original_due_date: string; overdue: boolean; extension_count: number }
}

export function DueThen({ of: { due_date, original_due_date, overdue, extension_count } }: DueProps) {
  const w = useCaseWords()
  const { day } = useFormat()
  return (
    <section aria-labelledby="due">
      <header className={styles.head}>
        <h2 id="due">{w.due}</h2>
      </header>
      <p className={styles.due}>
        <Late isLate={overdue}>{day(due_date)}</Late>
        {extension_count > 0 && <span className="soft">{w.extendedFrom(extension_count, day(original_due_date))}</span>}
      </p>
    </section>
  )
}

interface LinksProps {
  document_ids: number[]
  /** Of a CAPA. */
  deviation_ids?: number[]
  /** Of a deviation, whose links to other deviations are not rebuilt. */
  capa_ids?: number[]
}

/** What it was linked to then, by the names of today. */
export function LinksThen({ document_ids, deviation_ids = [], capa_ids }: LinksProps) {
  const w = useCaseWords()
  const links = [
    ...document_ids.map(id => ({ kind: 'documents' as const, id })),
    ...(capa_ids ?? []).map(id => ({ kind: 'capa' as const, id })),
    ...deviation_ids.map(id => ({ kind: 'deviations' as const, id })),
  ]
  return (
    <section aria-labelledby="links">
      <header className={styles.head}>
        <h2 id="links">{w.links}</h2>
      </header>
      {links.length === 0 ? (
        <p className="soft">{w.noLinksThen[capa_ids ? 'deviation' : 'capa']}</p>
      ) : (
        <ul className={styles.links}>
          {links.map(({ kind, id }) => (
            <LinkThen key={`${kind} ${id}`} kind={kind} id={id} />
          ))}
        </ul>
      )}
    </section>
  )
}

function LinkThen({ kind, id }: { kind: 'documents' | 'capa' | 'deviations'; id: number }) {
  const w = useCaseWords()
  const { data, error } = useQuery(ask(`GET /api/${kind}/{id}`, { path: { id } }))
  return (
    <li>
      {error ? (
        <span className="soft">{w.notReadable}</span>
      ) : (
        data && (
          <Link to={`/${kind}/$id`} params={{ id }} search={{}}>
            <span className="number">{data.number}</span> {data.title}
          </Link>
        )
      )}
    </li>
  )
}

export function FilesThen({ files }: { files: { id: number; name: string; size: number }[] }) {
  const w = useCaseWords()
  const { locale } = useFormat()
  return (
    <section aria-labelledby="attachments">
      <header className={styles.head}>
        <h2 id="attachments">{w.attachments}</h2>
      </header>
      {files.length === 0 ? (
        <p className="soft">{w.noAttachments}</p>
      ) : (
        <ul className={styles.files}>
          {files.map(({ id, name, size }) => (
            <li key={id}>
              <FileText size={15} aria-hidden="true" />
              <div>
                <span>{name}</span>
                <p className="soft">{sizeInWords(size, locale)}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

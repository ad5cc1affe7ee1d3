import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { canTake, isOffered, whyNotOf } from '../../records/allowed.ts'
import { sizeInWords } from '../../records/fields/file-rules.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { useFormat } from '../../words/index.ts'
import type { Batch, Sheet } from './batch.ts'
import type { StepProps } from './import-page.tsx'
import styles from './imports.module.css'
import { NextLink } from './next-link.tsx'
import { TemplateMenu } from './template-menu.tsx'
import { ManifestUploads, ZipUploads } from './uploads.tsx'
import { useImportWords } from './words.ts'

export function UploadStep({ batch, go }: StepProps) {
  const { upload: w } = useImportWords()
  const { locale } = useFormat()
  const may = canTake(batch.you, 'stage')
  return (
    <>
      {may && (
        <div className={styles.lead}>
          <p className="soft">{w.about}</p>
          <TemplateMenu />
        </div>
      )}
      {!may && isOffered(batch.you, 'stage') && <p className="soft">{whyNotOf(batch.you, 'stage')}</p>}
      <section className={styles.part}>
        <h3>{w.manifest}</h3>
        {may && (
          <>
            <p className="soft">{w.manifestHint}</p>
            <ManifestUploads id={batch.id} />
          </>
        )}
        <SheetsTable batch={batch} />
        {batch.ignored_sheets.length > 0 && (
          <p className={styles.warning}>{w.ignored(batch.ignored_sheets.join(', '))}</p>
        )}
      </section>
      <section className={styles.part}>
        <h3>{w.files}</h3>
        {may && (
          <>
            <p className="soft">
              {w.filesHint} {w.large}
            </p>
            <ZipUploads id={batch.id} />
          </>
        )}
        <p>
          {batch.files.count === 0 ? w.noFiles : w.count(batch.files.count, sizeInWords(batch.files.bytes, locale))}
        </p>
        {batch.files.unused > 0 && batch.status !== 'staging' && (
          <p className={styles.warning}>{w.unused(batch.files.unused)}</p>
        )}
        {batch.files.count > 0 && <FileTable id={batch.id} />}
      </section>
      <NextLink batch={batch} here="files" go={go} />
    </>
  )
}

function SheetsTable({ batch: { sheets } }: { batch: Batch }) {
  const { upload: w, sheets: names } = useImportWords()
  if (sheets.length === 0) return null
  const columns: Column<Sheet>[] = [
    { id: 'sheet', title: w.sheet, isHeading: true, cell: ({ name }) => names[name] },
    { id: 'rows', title: w.rows, isFigure: true, cell: ({ rows }) => rows },
    { id: 'from', title: w.from, cell: ({ manifest }) => <span className={styles.path}>{manifest}</span> },
  ]
  return <PlainTable label={w.manifest} columns={columns} rows={sheets} rowKey={({ name }) => name} />
}

type File = Answer<'GET /api/migrations/{id}/files'>['items'][number]

const page_size = 10

function FileTable({ id }: { id: number }) {
  const { upload: w } = useImportWords()
  const { locale, moment } = useFormat()
  const [q, setQ] = useState<string>()
  const [page, setPage] = useState(1)
  const { data, error, refetch, isPlaceholderData } = useQuery(
    askPage('GET /api/migrations/{id}/files', { path: { id }, query: { kind: 'content', q, page, page_size } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={4} />
  const columns: Column<File>[] = [
    {
      id: 'path',
      title: w.file,
      isHeading: true,
      cell: ({ path, is_legacy }) => (
        <>
          <span className={styles.path}>{path}</span>
          {is_legacy && <span className={styles.tag}>{w.legacy}</span>}
        </>
      ),
    },
    { id: 'size', title: w.size, cell: ({ size }) => sizeInWords(size, locale) },
    { id: 'when', title: w.when, rank: 1, cell: ({ uploaded_at }) => moment(uploaded_at) },
  ]
  return (
    <div className={styles.files}>
      {(data.total > page_size || q !== undefined) && (
        <SearchText
          label={w.findFile}
          text={q ?? ''}
          onChange={next => {
            setQ(next)
            setPage(1)
          }}
        />
      )}
      {data.items.length === 0 ? (
        <p className="soft">{w.noneMatch}</p>
      ) : (
        <>
          <PlainTable
            label={w.files}
            columns={columns}
            rows={data.items}
            rowKey={each => each.id}
            isOld={isPlaceholderData}
          />
          {data.pages > 1 && <Pager of={data} size={page_size} onPage={setPage} />}
        </>
      )}
    </div>
  )
}

/** A table in one order. */
export const PlainTable = <T,>(props: Parameters<typeof DataTable<T>>[0]) => (
  <div className={styles.table}>
    <DataTable {...props} />
  </div>
)

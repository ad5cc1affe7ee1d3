import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ClipboardCheck } from 'lucide-react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { canTake, isOffered, whyNotOf } from '../../records/allowed.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Empty, NotRead } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import type { Row } from './batch.ts'
import type { StepProps } from './import-page.tsx'
import styles from './imports.module.css'
import { nameIn, sheetNames } from './names.ts'
import { NextLink } from './next-link.tsx'
import { RowsTable } from './rows-table.tsx'
import { PlainTable } from './upload-step.tsx'
import { useImportWords } from './words.ts'

/** A row is compared when it has its record as it would be. */
export function SampleStep({ batch, search, narrow, go }: StepProps) {
  const { sample: w, sheets: names } = useImportWords()
  const { id, you, samples, status } = batch
  const may = canTake(you, 'sample')
  const whyNot = whyNotOf(you, 'sample')
  const { data, error, refetch } = useQuery(ask('GET /api/migrations/{id}/sample-plan', { path: { id } }))
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={6} />
  if (data.sheets.length === 0 || ['staging', 'checking'].includes(status))
    return (
      <>
        <p className="soft">{w.about}</p>
        <Empty icon={ClipboardCheck} title={w.none} />
      </>
    )
  const sheet = nameIn(sheetNames, search.sheet)
  const columns: Column<Row>[] = [
    {
      id: 'finding',
      title: w.finding,
      cell: ({ sample }) =>
        sample ? (
          <>
            <Status of={sample.finding === 'ok' ? 'done' : 'overdue'} name={w.findings[sample.finding]} />
            {sample.comment && <p className="soft">“{sample.comment}”</p>}
          </>
        ) : (
          <span className="soft">{w.open}</span>
        ),
    },
    ...(may
      ? [
          {
            id: 'compare',
            title: w.compare,
            cell: (row: Row) =>
              row.status !== 'error' && (
                <Link
                  from={paths.import}
                  to={paths.import}
                  params={{ id: String(id) }}
                  search={{ ...search, step: 'sample', row: row.id }}
                  resetScroll={false}
                  className={styles.over!}
                  aria-label={w.compareOf(row.key ?? String(row.line))}
                >
                  {w.compare}
                </Link>
              ),
          },
        ]
      : []),
  ]
  return (
    <>
      <p className="soft">{w.about}</p>
      {!may && isOffered(you, 'sample') && whyNot && <p className={styles.note}>{whyNot}</p>}
      {samples.differ > 0 && <p className={styles.warning}>{w.differ(samples.differ)}</p>}
      <PlainTable
        label={w.size}
        rows={data.sheets}
        rowKey={each => each.sheet}
        columns={[
          {
            id: 'sheet',
            title: w.sheet,
            isHeading: true,
            cell: each => (
              <Link
                from={paths.import}
                to={paths.import}
                params={{ id: String(id) }}
                search={{ step: 'sample', sheet: each.sheet === sheet ? undefined : each.sheet }}
                resetScroll={false}
                aria-current={each.sheet === sheet ? 'true' : undefined}
              >
                {names[each.sheet]}
              </Link>
            ),
          },
          { id: 'size', title: w.size, cell: each => w.sizeOf(each.size, each.rows) },
          { id: 'done', title: w.done, isFigure: true, cell: each => each.done },
        ]}
      />
      <section className={styles.part}>
        <h3>
          {w.rows}
          {sheet && `: ${names[sheet]}`}
        </h3>
        <RowsTable
          batch={batch}
          search={{ ...search, step: 'sample' }}
          narrow={narrow}
          label={w.rows}
          query={{ sheet, is_proposed: true }}
          columns={columns}
          none={w.none}
        />
      </section>
      <NextLink batch={batch} here="sample" go={go} />
    </>
  )
}

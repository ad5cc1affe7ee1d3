import { Link } from '@tanstack/react-router'
import { ListChecks } from 'lucide-react'
import { useRef } from 'react'
import { call } from '../../api/client.ts'
import { paths } from '../../app/paths.ts'
import { canTake } from '../../records/allowed.ts'
import list from '../../records/list/list-page.module.css'
import { Filter } from '../../ui/filter.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { useWords } from '../../words/index.ts'
import { ActButton } from './act-button.tsx'
import { type Batch, isOpen, isWorking, type Row } from './batch.ts'
import type { StepProps } from './import-page.tsx'
import styles from './imports.module.css'
import { JobProgress } from './job-progress.tsx'
import { nameIn, namesIn, type RowStatus, rowStatuses, type SheetName, sheetNames } from './names.ts'
import { NextLink } from './next-link.tsx'
import { Findings, RecordLink, RowsTable } from './rows-table.tsx'
import { ManifestUploads } from './uploads.tsx'
import { useImportWords } from './words.ts'

export function CheckStep({ batch, search, narrow, go }: StepProps) {
  const { check: w, columns } = useImportWords()
  const { id, job, status, rows, counts, you } = batch
  // What is uploaded takes the findings away, and is to be seen until somebody leaves.
  const hadErrors = useRef(false)
  hadErrors.current ||= counts.error > 0
  const isCheck = job?.kind === 'migration.check'
  return (
    <>
      <p className="soft">{status === 'discarded' ? w.discarded : w.about}</p>
      {rows === 0 && <p className="soft">{`${columns.none}. ${columns.noneHint}`}</p>}
      {isOpen(batch) && (
        <ActButton
          batch={batch}
          act="check"
          look={status === 'staging' || counts.error > 0 ? 'main' : 'plain'}
          icon={ListChecks}
          send={() => call('POST /api/migrations/{id}/check', { path: { id } })}
        >
          {status === 'staging' ? w.act : w.again}
        </ActButton>
      )}
      {isCheck && (isWorking(batch) || job.status === 'failed') && <JobProgress job={job} />}
      {rows > 0 && (
        <>
          <Counts batch={batch} />
          {hadErrors.current && canTake(you, 'stage') && (
            <section className={styles.part}>
              <h3>{w.correct}</h3>
              <p className="soft">
                {w.correctHint} {w.reportHint}
              </p>
              <ManifestUploads id={id} />
            </section>
          )}
          <Rows batch={batch} search={search} narrow={narrow} />
        </>
      )}
      <NextLink batch={batch} here="check" go={go} />
    </>
  )
}

/** How many rows of each sheet have which result, each number leading to its rows. */
function Counts({ batch }: { batch: Batch }) {
  const { check: w, sheets: names, rowStatuses: statuses } = useImportWords()
  const shown = rowStatuses.filter(status => batch.counts[status] > 0)
  const to = (sheet: SheetName | undefined, status: RowStatus | 'all', text: number, name: string) => (
    <Link
      from={paths.import}
      to={paths.import}
      params={{ id: String(batch.id) }}
      search={{ step: 'check', sheet, status: [status] }}
      resetScroll={false}
      aria-label={name}
      {...(status === 'error' || status === 'differs' ? { className: styles.bad! } : {})}
    >
      {text}
    </Link>
  )
  return (
    <div className={styles.counts}>
      <table>
        <caption className="visually-hidden">{w.bySheet}</caption>
        <thead>
          <tr>
            <th scope="col">{w.sheet}</th>
            <th scope="col">{w.rows}</th>
            {shown.map(status => (
              <th key={status} scope="col">
                {statuses[status]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {batch.sheets.map(({ name, rows, counts }) => (
            <tr key={name}>
              <th scope="row">{names[name]}</th>
              <td>{to(name, 'all', rows, `${names[name]}: ${rows}`)}</td>
              {shown.map(status => (
                <td key={status}>
                  {counts[status] > 0 ? (
                    to(name, status, counts[status], `${names[name]}, ${statuses[status]}: ${counts[status]}`)
                  ) : (
                    <span className="soft">0</span>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Rows({ batch, search, narrow }: Pick<StepProps, 'batch' | 'search' | 'narrow'>) {
  const { check: w, sheets: names, rowStatuses: statuses } = useImportWords()
  const { documents: dw } = useWords()
  const { counts, sheets } = batch
  // What has to be looked at first. With nothing found, and where somebody asks for all of them, every row.
  const worth = (['error', 'warning', 'differs'] as const).filter(each => counts[each] > 0)
  const sheet = nameIn(sheetNames, search.sheet)
  const status = search.status ? namesIn(rowStatuses, search.status) : worth
  const hasRecords = counts.loaded + counts.verified + counts.differs > 0
  return (
    <section className={styles.part}>
      <h3>{w.rows}</h3>
      <search className="row" aria-label={dw.filters} data-print="none">
        <SearchText label={w.find} text={search.q ?? ''} onChange={q => narrow({ q })} />
        <div className={list.chips}>
          <Filter
            label={w.sheet}
            options={sheets.map(({ name }) => ({ id: name, name: names[name] }))}
            value={sheet ? [sheet] : []}
            onChange={next => narrow({ sheet: next.find(each => each !== sheet) })}
          />
          <Filter
            label={w.status}
            options={rowStatuses
              .filter(each => counts[each] > 0)
              .map(each => ({ id: each, name: statuses[each], count: counts[each] }))}
            value={status}
            onChange={next => narrow({ status: next.length === 0 ? ['all'] : next })}
          />
        </div>
      </search>
      <RowsTable
        batch={batch}
        search={{ ...search, step: 'check' }}
        narrow={narrow}
        label={w.rows}
        query={{ sheet, status: status.length > 0 ? status : undefined, q: search.q }}
        none={`${w.none}. ${w.noneHint}`}
        columns={[
          { id: 'findings', title: w.findings, cell: row => <Findings row={row} /> },
          ...(hasRecords ? [{ id: 'record', title: w.record, cell: (row: Row) => <RecordLink row={row} /> }] : []),
        ]}
      />
    </section>
  )
}

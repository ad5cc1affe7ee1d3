import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Download, FileText, FolderOpen } from 'lucide-react'
import { type Answer, addressOf } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import list from '../../records/list/list-page.module.css'
import { Nothing } from '../../records/list/nothing.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FilterOne, Toggle } from '../../ui/filter.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { nameOf } from '../../ui/person.tsx'
import { save } from '../../ui/save.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './record-page.module.css'
import { type RecordSearch, recordSort, states } from './searches.ts'
import { Standing } from './standing.tsx'
import { useTrainingWords } from './words.ts'

type Entry = Answer<'GET /api/training/records/{user_id}'>['items'][number]

const page_size = 25

/** All that a person was trained in, and what proves it. */
export function RecordPage() {
  const { record: w, areas, standings } = useTrainingWords()
  const { documents: dw } = useWords()
  const { user_id } = useParams({ from: '/app/training/records/$user_id' })
  const search = useSearch({ from: '/app/training/records/$user_id' })
  const navigate = useNavigate({ from: '/training/records/$user_id' })
  const { id: ownId } = useMe()
  const { status, valid, sort = recordSort, page } = search
  const filter = { status, is_valid: valid, sort }
  const { data, error, isPlaceholderData, refetch } = useQuery(
    askPage('GET /api/training/records/{user_id}', { path: { user_id }, query: { ...filter, page, page_size } }),
  )
  const columns = useColumns(user_id === ownId)
  useTitle(data && `${w.title} ${nameOf(data.user)}`)
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={14} />
  const narrow = (change: RecordSearch) => void navigate({ search: { ...search, page: undefined, ...change } })
  const saveAs = (format: 'csv' | 'pdf') => () =>
    save(addressOf('GET /api/training/records/{user_id}', { path: { user_id }, query: { ...filter, format } }))
  return (
    <div className={list.page}>
      <div className={styles.head}>
        <RecordHead
          list={user_id === ownId ? paths.training : paths.trainingAssignments}
          back={user_id === ownId ? areas.mine : areas.assignments}
          number={w.title}
          title={nameOf(data.user)}
          actions={
            <span className="row" data-print="none">
              <Button icon={FileText} onPress={saveAs('csv')}>
                CSV
              </Button>
              <Button icon={Download} onPress={saveAs('pdf')}>
                PDF
              </Button>
            </span>
          }
          state={
            <>
              <span>{data.role}</span>
              {data.is_active === false && <span className="soft">{w.inactive}</span>}
            </>
          }
        />
      </div>
      <ListFilters>
        <FilterOne
          label={dw.status}
          values={states}
          names={standings}
          value={status}
          onChange={next => narrow({ status: next })}
        />
        <Toggle name={w.validOnly} isOn={valid ?? false} onChange={isOn => narrow({ valid: isOn || undefined })} />
      </ListFilters>
      {data.items.length === 0 ? (
        <Nothing
          isNarrowed={status !== undefined || valid !== undefined}
          onClear={() => void navigate({ search: {} })}
          icon={FolderOpen}
          title={w.none}
          hint={w.noneHint}
        />
      ) : (
        <>
          <DataTable
            label={`${w.title} ${nameOf(data.user)}`}
            columns={columns}
            rows={data.items}
            rowKey={({ assignment_id }) => assignment_id}
            sort={sort}
            onSort={next => narrow({ sort: next })}
            isOld={isPlaceholderData}
          />
          <Pager of={data} size={page_size} onPage={next => narrow({ page: next })} />
        </>
      )}
    </div>
  )
}

function useColumns(isOwn: boolean): Column<Entry>[] {
  const { record: w, list: lw, types, mine } = useTrainingWords()
  const { day } = useFormat()
  return [
    { id: 'number', title: lw.number, sort: 'number', cell: row => <span className="number">{row.number}</span> },
    {
      id: 'title',
      title: lw.title,
      isHeading: true,
      cell: row =>
        isOwn ? (
          <Link to="/training/$id" params={{ id: row.training_id }}>
            {row.title}
          </Link>
        ) : (
          <Link to="/training/assignments/$id" params={{ id: row.assignment_id }}>
            {row.title}
          </Link>
        ),
    },
    { id: 'type', title: lw.type, rank: 2, cell: row => types[row.type] },
    { id: 'status', title: lw.status, sort: 'status', cell: row => <Standing of={row} /> },
    {
      id: 'document',
      title: lw.document,
      rank: 2,
      cell: row => row.document && `${row.document.number} ${row.document_version ?? ''}`,
    },
    {
      id: 'completed',
      title: w.completed,
      sort: 'completed_at',
      cell: row => row.completed_at && day(row.completed_at),
    },
    { id: 'score', title: w.score, rank: 1, cell: row => row.score !== null && `${row.score} %` },
    {
      id: 'valid',
      title: w.valid,
      rank: 3,
      cell: row => row.completed_at && (row.valid_until === null ? mine.noEnd : day(row.valid_until)),
    },
    {
      id: 'signed',
      title: w.signature,
      rank: 1,
      cell: ({ signature }) =>
        signature && (
          <span className={styles.signature} title={signature.intent}>
            <code>{signature.verification_code}</code>
            {signature.is_void && <b>{w.void}</b>}
          </span>
        ),
    },
    {
      id: 'verified',
      title: w.verified,
      rank: 1,
      cell: ({ verification: { required, verified_at, verified_by } }) =>
        required && verified_at && verified_by && `${day(verified_at)}, ${nameOf(verified_by)}`,
    },
  ]
}

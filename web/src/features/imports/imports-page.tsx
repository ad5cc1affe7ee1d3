import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { PackageOpen, Plus } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ReasonDialog } from '../../records/dialogs/reason-dialog.tsx'
import { ListFilters } from '../../records/list/list-filters.tsx'
import list from '../../records/list/list-page.module.css'
import { ListPage } from '../../records/list/list-page.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Field } from '../../ui/field.tsx'
import { Filter } from '../../ui/filter.tsx'
import { Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { lookOfBatch } from './batch.ts'
import styles from './imports.module.css'
import { batchStatuses, namesIn } from './names.ts'
import type { ImportSearch } from './search.ts'
import { TemplateMenu } from './template-menu.tsx'
import { useImportWords } from './words.ts'

type Row = Answer<'GET /api/migrations/'>['items'][number]

const page_size = 25

/** What came in from elsewhere, and what is still on its way? */
export function ImportsPage() {
  const words = useImportWords()
  const w = words.list
  const { permissions } = useMe()
  const search = useSearch({ from: '/app/administration/admin/imports' })
  const navigate = useNavigate({ from: paths.imports })
  const [isCreating, setCreating] = useState(false)
  const { q, page } = search
  const chosen = namesIn(batchStatuses, search.status)
  const status = chosen.length > 0 ? chosen : undefined
  const found = useQuery(askPage('GET /api/migrations/', { query: { q, status, page, page_size } }))
  const columns = useColumns()
  useTitle(w.title)
  const narrow = (change: ImportSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  const isNarrowed = q !== undefined || status !== undefined
  const begin = (
    <div className="row in-middle">
      <TemplateMenu />
      {permissions.includes('migration.manage') && (
        <Button look="main" icon={Plus} onPress={() => setCreating(true)}>
          {w.create}
        </Button>
      )}
    </div>
  )
  const isEmpty = found.data?.total === 0 && !isNarrowed
  return (
    <ListPage
      title={w.title}
      about={w.about}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      narrow={narrow}
      begin={!isEmpty && begin}
      isNarrowed={isNarrowed}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: PackageOpen, title: w.empty, hint: w.emptyHint, none: w.noneMatch, begin }}
    >
      {!isEmpty && (
        <ListFilters search={w.find} text={q} onSearch={next => narrow({ q: next })}>
          <Filter
            label={w.status}
            options={batchStatuses.map(id => ({ id, name: words.statuses[id] }))}
            value={chosen}
            onChange={next => narrow({ status: next })}
          />
        </ListFilters>
      )}
      {isCreating && (
        <CreateDialog
          onDone={id => void navigate({ to: paths.import, params: { id: String(id) }, search: { step: 'describe' } })}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  )
}

function useColumns(): Column<Row>[] {
  const { list: w, statuses } = useImportWords()
  const { day } = useFormat()
  return [
    {
      id: 'import',
      title: w.import,
      isHeading: true,
      cell: ({ id, number, title }) => (
        <div className={list.named}>
          <Link to={paths.import} params={{ id: String(id) }}>
            {title}
          </Link>
          <span className="number">{number}</span>
        </div>
      ),
    },
    {
      id: 'status',
      title: w.status,
      cell: ({ status }) => <Status of={lookOfBatch[status]} name={statuses[status]} />,
    },
    { id: 'source', title: w.source, rank: 3, cell: ({ source_system }) => source_system },
    {
      id: 'rows',
      title: w.rows,
      isFigure: true,
      cell: ({ rows, counts }) => (
        <>
          {rows}
          {counts.error > 0 && <span className={styles.bad}> {w.errors(counts.error)}</span>}
        </>
      ),
    },
    { id: 'by', title: w.startedBy, rank: 2, cell: ({ started_by }) => <Person of={started_by} /> },
    { id: 'started', title: w.started, rank: 2, cell: ({ started_at }) => day(started_at) },
  ]
}

function CreateDialog({ onDone, onClose }: { onDone: (id: number) => void; onClose: () => void }) {
  const { create: w } = useImportWords()
  const [title, setTitle] = useState('')
  const [source, setSource] = useState('')
  const [isTried, setTried] = useState(false)
  const missing = (value: string, text: string) => (isTried && value.trim() === '' ? text : undefined)
  return (
    <ReasonDialog
      title={w.title}
      about={w.about}
      revision={0}
      submit={w.submit}
      hasReason={false}
      isComplete={() => {
        setTried(true)
        return title.trim() !== '' && source.trim() !== ''
      }}
      send={() => call('POST /api/migrations/', { body: { title: title.trim(), source_system: source.trim() } })}
      done={({ number }) => w.created(number)}
      onDone={({ id }) => onDone(id)}
      onClose={onClose}
    >
      {problem => (
        <>
          <Field
            label={w.name}
            hint={w.nameHint}
            isRequired
            autoFocus
            maxLength={200}
            value={title}
            onChange={setTitle}
            wrong={problem?.of('title') ?? missing(title, w.nameMissing)}
          />
          <Field
            label={w.source}
            hint={w.sourceHint}
            isRequired
            maxLength={200}
            value={source}
            onChange={setSource}
            wrong={problem?.of('source_system') ?? missing(source, w.sourceMissing)}
          />
        </>
      )}
    </ReasonDialog>
  )
}

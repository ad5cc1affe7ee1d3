import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, FileText, Grid3x3, Printer, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { addressOf } from '../../api/client.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import list from '../../records/list/list-page.module.css'
import { Nothing } from '../../records/list/nothing.tsx'
import { Button } from '../../ui/button.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { save } from '../../ui/save.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { GroupFilter, ProgramFilter, RoleFilter } from './filters.tsx'
import { MatrixGrid } from './matrix-grid.tsx'
import marks from './matrix-marks.module.css'
import styles from './matrix-page.module.css'
import { MatrixPrint } from './matrix-print.tsx'
import type { Span } from './matrix-window.ts'
import { type MatrixSearch, matrixFilterOf, standings } from './searches.ts'
import { TrainingNav } from './training-nav.tsx'
import { firstQuery, type MatrixFilter, type MatrixRow, page_size, pageQuery, useMatrix } from './use-matrix.ts'
import { useTrainingWords } from './words.ts'

/** More people than these are printed by the file, which the service makes. */
const most_printed = 500

/** Is everybody trained who must be? */
export function MatrixPage() {
  const { matrix: w } = useTrainingWords()
  const search = useSearch({ from: '/app/training/matrix' })
  const filter = matrixFilterOf(search)
  const { data } = useQuery(firstQuery(filter))
  const printing = usePrinting(filter, data?.total ?? 0)
  useTitle(w.title)
  const fileAs = (format: 'csv' | 'pdf') => () =>
    save(addressOf('GET /api/training/matrix', { query: { ...filter, sort: 'full_name:asc', format } }))
  return (
    <div className={styles.page}>
      <header className={list.head}>
        <h1>{w.title}</h1>
        <div className="row" data-print="none">
          <Button icon={FileText} onPress={fileAs('csv')}>
            CSV
          </Button>
          <Button icon={Download} onPress={fileAs('pdf')}>
            PDF
          </Button>
          <Button
            icon={Printer}
            whyNot={data && data.total > most_printed ? w.tooManyToPrint(most_printed) : undefined}
            isPending={printing.isPending}
            onPress={printing.print}
          >
            {w.print}
          </Button>
        </div>
      </header>
      <TrainingNav />
      {printing.error && <Refused>{printing.error.message}</Refused>}
      <Filters search={search} />
      <Body search={search} />
      {printing.rows &&
        data &&
        createPortal(<MatrixPrint programs={data.programs} rows={printing.rows} total={data.total} />, document.body)}
    </div>
  )
}

function Filters({ search }: { search: MatrixSearch }) {
  const { matrix: w, standings: names } = useTrainingWords()
  const { documents: dw } = useWords()
  const navigate = useNavigate({ from: '/training/matrix' })
  const { permissions } = useMe()
  const narrow = (change: MatrixSearch) => void navigate({ search: { ...search, ...change }, replace: 'q' in change })
  return (
    <ListFilters search={w.search} text={search.q} onSearch={q => narrow({ q })}>
      {permissions.includes('groups.read') && (
        <GroupFilter value={search.group} onChange={group => narrow({ group })} />
      )}
      {permissions.includes('roles.read') && <RoleFilter value={search.role} onChange={role => narrow({ role })} />}
      <ProgramFilter value={search.program ?? []} onChange={program => narrow({ program })} />
      <FilterOne
        label={w.standing}
        values={standings}
        names={names}
        value={search.standing}
        onChange={standing => narrow({ standing })}
      />
      {Object.keys(search).length > 0 && (
        <Button look="quiet" icon={X} onPress={() => void navigate({ search: {} })}>
          {dw.clear}
        </Button>
      )}
    </ListFilters>
  )
}

/** Apart from the filters, which are not drawn anew while the grid is scrolled. */
function Body({ search }: { search: MatrixSearch }) {
  const { matrix: w, standings: names } = useTrainingWords()
  const navigate = useNavigate({ from: '/training/matrix' })
  const [sight, setSight] = useState<Span>({ first: 0, end: page_size })
  const { programs, total, rowAt, isThere, isOld, error, retry } = useMatrix(matrixFilterOf(search), sight)
  /** Other rows matter once they are of another page. */
  const see = ({ first, end }: Span) =>
    setSight(before => {
      const next = { first: Math.floor(first / page_size) * page_size, end: Math.ceil(end / page_size) * page_size }
      return next.first === before.first && next.end === before.end ? before : next
    })
  if (error) return <Unreadable error={error} onRetry={retry} />
  if (!isThere) return <Loading lines={14} />
  if (total === 0 || programs.length === 0)
    return (
      <Nothing
        isNarrowed={Object.keys(search).length > 0}
        none={w.noneMatch}
        onClear={() => void navigate({ search: {} })}
        icon={Grid3x3}
        title={w.none}
        hint={w.noneHint}
      />
    )
  return (
    <>
      <ul className={styles.legend} aria-label={w.legend}>
        {standings.map(each => (
          <li key={each}>
            <span className={`${marks.mark} ${styles.mark}`} data-standing={each} aria-hidden="true" />
            {names[each]}
          </li>
        ))}
      </ul>
      <MatrixGrid
        label={w.title}
        programs={programs}
        total={total}
        rowAt={rowAt}
        onSight={see}
        isOld={isOld}
        onOpen={({ assignment_id }) => {
          if (assignment_id !== null) void navigate({ to: '/training/assignments/$id', params: { id: assignment_id } })
        }}
        onOpenPerson={({ user }) => void navigate({ to: '/training/records/$user_id', params: { user_id: user.id } })}
      />
      <p className={styles.sum} role="status">
        {w.sum(total, programs.length)}
      </p>
    </>
  )
}

/** On paper stands all of it, not only what is in sight: so it is read as a whole before it is printed. */
function usePrinting(filter: MatrixFilter, total: number) {
  const client = useQueryClient()
  const [rows, setRows] = useState<MatrixRow[]>()
  const { mutate, isPending, error } = useMutation<MatrixRow[]>({
    mutationFn: async () => {
      const pages = Array.from({ length: Math.ceil(total / page_size) }, (_, index) => index + 1)
      const all: MatrixRow[] = []
      for (const page of pages) all.push(...(await client.fetchQuery(pageQuery(filter, page))).items)
      return all
    },
    onSuccess: all => {
      flushSync(() => setRows(all))
      window.print()
    },
  })
  useEffect(() => {
    const over = () => setRows(undefined)
    addEventListener('afterprint', over)
    return () => removeEventListener('afterprint', over)
  }, [])
  return { rows, print: () => mutate(), isPending, error }
}

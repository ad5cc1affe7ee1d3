import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CalendarX } from 'lucide-react'
import { useState } from 'react'
import { askPage } from '../../api/queries.ts'
import list from '../../records/list/list-page.module.css'
import { ListPage } from '../../records/list/list-page.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { SearchText } from '../../ui/search-text.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type DueRow, keyOf, nameOf } from './due-row.ts'
import { ProposeDialog } from './propose-dialog.tsx'
import { RecordLink } from './record-link.tsx'
import { RetentionNav } from './retention-nav.tsx'
import { dueSort, type ListSearch, recordKinds } from './search.ts'
import { useRetentionWords } from './words.ts'

const page_size = 50
const mayBeChosen = ({ obstacle, disposal }: DueRow) => obstacle === null && disposal === null

/** What is past its retention day; whoever may proposes the disposal of what they choose. */
export function DuePage() {
  const w = useRetentionWords()
  const { documents: dw } = useWords()
  const search = useSearch({ from: '/app/administration/admin/retention' })
  const navigate = useNavigate({ from: '/admin/retention' })
  const { permissions } = useMe()
  const { q, kind, sort = dueSort, page } = search
  const found = useQuery(askPage('GET /api/retention/due', { query: { q, kind, sort, page, page_size } }))
  const [chosen, setChosen] = useState<DueRow[]>([])
  const [isProposing, setProposing] = useState(false)
  const mayPropose = permissions.includes('retention.propose_disposal')
  const columns = useDueColumns(mayPropose ? { chosen, setChosen } : undefined)
  useTitle(w.title)
  const narrow = (change: ListSearch) => void navigate({ search: { ...search, page: undefined, ...change } })
  const offered = found.data?.items.filter(mayBeChosen) ?? []
  return (
    <>
      <ListPage
        title={w.title}
        about={w.due.hint}
        of={found}
        rowKey={keyOf}
        columns={columns}
        sort={sort}
        narrow={narrow}
        isNarrowed={q !== undefined || kind !== undefined}
        onClear={() => void navigate({ search: {} })}
        empty={{ icon: CalendarX, title: w.due.none, hint: w.due.noneHint, none: w.due.noneMatch }}
      >
        <RetentionNav />
        <search className={list.filters} aria-label={dw.filters} data-print="none">
          <SearchText label={w.search} text={q ?? ''} onChange={next => narrow({ q: next })} />
          <FilterOne
            label={w.due.kind}
            values={recordKinds}
            names={w.kinds}
            value={kind}
            onChange={next => narrow({ kind: next })}
          />
          {mayPropose && offered.length > 0 && (
            <div className="row in-middle">
              <span aria-live="polite">{w.due.chosen(chosen.length)}</span>
              {chosen.length > 0 ? (
                <Button onPress={() => setChosen([])}>{w.due.clear}</Button>
              ) : (
                <Button onPress={() => setChosen(offered)}>{w.due.chooseAll}</Button>
              )}
              <Button look="main" isDisabled={chosen.length === 0} onPress={() => setProposing(true)}>
                {w.propose.begin}
              </Button>
            </div>
          )}
        </search>
      </ListPage>
      {isProposing && <ProposeDialog rows={chosen} onDone={() => setChosen([])} onClose={() => setProposing(false)} />}
    </>
  )
}

interface Choosing {
  chosen: DueRow[]
  setChosen: (rows: DueRow[]) => void
}

function useDueColumns(choosing: Choosing | undefined): Column<DueRow>[] {
  const w = useRetentionWords()
  const { day } = useFormat()
  const { columns } = w.due
  return [
    ...(choosing
      ? [
          {
            id: 'choose',
            title: columns.choose,
            cell: (row: DueRow) => {
              const { chosen, setChosen } = choosing
              // What cannot be chosen has no box: the last column says why.
              if (!mayBeChosen(row)) return null
              const others = chosen.filter(each => keyOf(each) !== keyOf(row))
              return (
                <Checkbox
                  aria-label={w.due.choose(nameOf(row))}
                  isSelected={others.length < chosen.length}
                  onChange={isChosen => setChosen(isChosen ? [...others, row] : others)}
                >
                  {null}
                </Checkbox>
              )
            },
          },
        ]
      : []),
    {
      id: 'number',
      title: columns.number,
      sort: 'number',
      cell: row => <span className="number">{nameOf(row)}</span>,
    },
    {
      id: 'title',
      title: columns.title,
      isHeading: true,
      cell: row => (
        <RecordLink kind={row.kind} id={row.id} version={row.version}>
          {row.title}
        </RecordLink>
      ),
    },
    {
      id: 'type',
      title: columns.type,
      rank: 2,
      cell: row => w.due.rule(row.document_type?.name ?? w.kinds[row.kind], w.years(row.retention_years)),
    },
    {
      id: 'ended',
      title: columns.ended,
      sort: 'ended_on',
      rank: 1,
      cell: row => (
        <>
          {day(row.ended_on)} <span className="soft">{w.due.ended[row.record_status] ?? row.record_status}</span>
        </>
      ),
    },
    {
      id: 'destroys',
      title: columns.destroys,
      rank: 2,
      cell: row => (row.kind === 'document' ? w.due.versionFile : w.due.attachedFiles(row.files_total)),
    },
    { id: 'until', title: columns.until, sort: 'retention_until', cell: row => day(row.retention_until) },
    { id: 'state', title: columns.state, cell: row => <State of={row} /> },
  ]
}

function State({ of: { obstacle, disposal, holds } }: { of: DueRow }) {
  const { due: w } = useRetentionWords()
  if (disposal)
    return (
      <>
        {w.inDisposal}{' '}
        <Link to="/admin/disposals/$id" params={{ id: disposal.id }}>
          {disposal.number}
        </Link>
      </>
    )
  if (obstacle === null) return w.yes
  if (obstacle === 'on_hold') return w.obstacles.on_hold(holds.map(({ number }) => number).join(', '))
  return w.obstacles[obstacle]
}

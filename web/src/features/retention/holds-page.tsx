import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { pageOfRecord } from '../../app/addresses.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { LiftDialog, PlaceDialog } from './hold-dialogs.tsx'
import styles from './retention.module.css'
import { holdStatuses, type ListSearch } from './search.ts'
import { useRetentionWords } from './words.ts'

export type Hold = Answer<'GET /api/legal-holds/'>['items'][number]

const page_size = 25

/** All holds with their history: what each holds, who placed it and why, and who lifted it. */
export function HoldsPage() {
  const { holds: w } = useRetentionWords()
  const { status: asked, page } = useSearch({ from: '/app/administration/admin/legal-holds' })
  const status = holdStatuses.find(each => each === asked)
  const navigate = useNavigate({ from: '/admin/legal-holds' })
  const { permissions } = useMe()
  const found = useQuery(askPage('GET /api/legal-holds/', { query: { status, page, page_size, sort: 'id:desc' } }))
  const [isPlacing, setPlacing] = useState(false)
  const [lifted, setLifted] = useState<Hold>()
  const columns = useHoldColumns(setLifted)
  useTitle(w.title)
  const narrow = (change: ListSearch) => void navigate({ search: { status, ...change } })
  return (
    <>
      <ListPage
        title={w.title}
        about={w.hint}
        of={found}
        rowKey={({ id }) => id}
        columns={columns}
        narrow={({ page: next }) => narrow({ page: next })}
        isNarrowed={status !== undefined}
        onClear={() => void navigate({ search: {} })}
        begin={
          permissions.includes('retention.hold') && (
            <Begin icon={Lock} name={w.begin} onPress={() => setPlacing(true)} />
          )
        }
        empty={{ icon: Lock, title: w.none, hint: w.noneHint, none: w.noneMatch }}
      >
        <ListFilters>
          <FilterOne
            label={w.columns.status}
            values={holdStatuses}
            names={w.statuses}
            value={status}
            onChange={next => narrow({ status: next })}
          />
        </ListFilters>
      </ListPage>
      {isPlacing && <PlaceDialog onClose={() => setPlacing(false)} />}
      {lifted && <LiftDialog hold={lifted} onClose={() => setLifted(undefined)} />}
    </>
  )
}

function useHoldColumns(onLift: (hold: Hold) => void): Column<Hold>[] {
  const { holds: w } = useRetentionWords()
  const { day } = useFormat()
  const { id: me, permissions } = useMe()
  return [
    { id: 'number', title: w.columns.number, cell: row => <span className="number">{row.number}</span> },
    { id: 'scope', title: w.columns.scope, isHeading: true, cell: row => <Scope of={row} /> },
    {
      id: 'status',
      title: w.columns.status,
      cell: row => (
        <Status of={row.status === 'active' ? 'pending_approval' : 'closed'} name={w.statuses[row.status]} />
      ),
    },
    {
      id: 'reason',
      title: w.columns.reason,
      rank: 3,
      cell: row => <span className={styles.reason}>{row.reason}</span>,
    },
    {
      id: 'by',
      title: w.columns.by,
      rank: 2,
      cell: row => w.byOn(nameOf(row.placed_by), day(row.placed_at)),
    },
    {
      id: 'lifted',
      title: w.columns.lifted,
      cell: row => {
        if (row.status === 'lifted')
          return (
            <>
              {w.byOn(nameOf(row.lifted_by!), day(row.lifted_at!))}
              <br />
              <span className="soft">{row.lift_reason}</span>{' '}
              {row.signature_id !== null && (
                <Link to="/signatures/$id" params={{ id: row.signature_id }}>
                  {w.signature}
                </Link>
              )}
            </>
          )
        // Another person lifts it than who placed it.
        return permissions.includes('retention.hold') && row.placed_by.id !== me ? (
          <Button aria-label={w.liftOf(row.number)} onPress={() => onLift(row)}>
            {w.lift}
          </Button>
        ) : null
      },
    },
  ]
}

function Scope({ of: hold }: { of: Hold }) {
  const { holds: w } = useRetentionWords()
  const { record, document_type, record_kind, affected_item, department } = hold
  if (record) {
    const page = pageOfRecord(record.kind, record.id)
    const name = [record.number, record.title].filter(Boolean).join(' ')
    return page ? <Link to={page}>{name}</Link> : name
  }
  if (document_type) return w.type(document_type.name)
  if (record_kind) return w.kinds[record_kind]
  return affected_item === null ? w.department(department ?? '') : w.item(affected_item)
}

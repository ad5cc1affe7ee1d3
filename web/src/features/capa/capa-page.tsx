import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { AssignDialog } from '../../records/case/assign-dialog.tsx'
import { Attachments } from '../../records/case/attachments.tsx'
import { CasePage } from '../../records/case/case-page.tsx'
import { caseSearch } from '../../records/case/case-search.ts'
import { DueDate } from '../../records/case/due-date.tsx'
import { Links } from '../../records/case/links.tsx'
import { People } from '../../records/case/people.tsx'
import { Stepper } from '../../records/case/stepper.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { PriorityMark } from '../../ui/severity.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { Actions } from './actions.tsx'
import { caseOf, isOver, save, steps } from './capa.ts'
import { CapaParts } from './capa-parts.tsx'
import { CapaStep } from './capa-step.tsx'
import { Reviews } from './reviews.tsx'

export function CapaPage() {
  const { capa: w, cases } = useWords()
  const { id } = useParams({ from: '/app/capa/$id' })
  const { tab = 'record', for: person } = useSearch({ from: '/app/capa/$id' })
  const navigate = useNavigate({ from: '/capa/$id' })
  const { moment } = useFormat()
  const { data: capa, error, refetch } = useQuery(ask('GET /api/capa/{id}', { path: { id } }))
  const [isAssigning, setAssigning] = useState(false)
  useTitle(capa && `${capa.number} ${capa.title}`)
  if (error) return <Unreadable error={error} onRetry={() => void refetch()} />
  if (!capa) return <Loading lines={12} />
  const record = caseOf(capa)
  const { status, assigned_to, created_by, created_at, approved_by, approved_at, closed_by, closed_at } = capa
  // One that is linked to a document begins open.
  const way = status === 'draft' ? steps : steps.slice(1)
  return (
    <CasePage
      of={record}
      tab={tab}
      onTab={next =>
        void navigate({ search: caseSearch({ tab: next, for: person }), replace: true, resetScroll: false })
      }
      head={
        <RecordHead
          list={paths.capas}
          back={w.title}
          number={capa.number}
          title={capa.title}
          state={
            <>
              <Status of={status} />
              <PriorityMark of={capa.priority} />
              <span className="soft">{w.types[capa.type]}</span>
            </>
          }
        >
          {!isOver(capa) || status === 'closed' ? (
            <Stepper label={cases.progress} steps={way} current={status} />
          ) : null}
        </RecordHead>
      }
      side={
        <>
          <CapaStep of={capa} />
          <DueDate
            of={record}
            due_date={capa.due_date}
            original_due_date={capa.original_due_date}
            overdue={capa.overdue}
          />
          <People
            facts={[
              [cases.assignee, assigned_to],
              [w.createdBy, created_by, moment(created_at)],
              [w.approvedBy, approved_by, approved_at && moment(approved_at)],
              [w.closedBy, closed_by, closed_at && moment(closed_at)],
            ]}
            onAssign={record.you.may.includes('update') ? () => setAssigning(true) : undefined}
          />
          <Links of={record} />
          <Attachments of={record} />
          {isAssigning && (
            <AssignDialog
              of={record}
              assigned={assigned_to}
              send={(person, sent) => save(capa, { assigned_to: person }, sent)}
              onClose={() => setAssigning(false)}
            />
          )}
        </>
      }
    >
      <CapaParts of={capa} />
      <Actions of={capa} />
      <Reviews of={capa} />
    </CasePage>
  )
}

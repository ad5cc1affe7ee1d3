import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { AssignDialog } from '../../records/case/assign-dialog.tsx'
import { Attachments } from '../../records/case/attachments.tsx'
import { CaseAsOf, DueThen, LinksThen } from '../../records/case/case-as-of.tsx'
import { CaseMenu } from '../../records/case/case-menu.tsx'
import { CasePage } from '../../records/case/case-page.tsx'
import { caseSearch } from '../../records/case/case-search.ts'
import { DueDate } from '../../records/case/due-date.tsx'
import { Links } from '../../records/case/links.tsx'
import { People } from '../../records/case/people.tsx'
import { Stepper } from '../../records/case/stepper.tsx'
import { useCaseWords } from '../../records/case/words.ts'
import { RecordHead } from '../../records/record-head.tsx'
import { CaseRetention } from '../../records/retention.tsx'
import { Loading, NotRead, Unreadable } from '../../ui/notes.tsx'
import { PriorityMark } from '../../ui/severity.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { Actions } from './actions.tsx'
import { type Capa, caseOf, isOver, save, steps } from './capa.ts'
import { CapaParts } from './capa-parts.tsx'
import { CapaStep } from './capa-step.tsx'
import { Reviews } from './reviews.tsx'
import { useCapaWords } from './words.ts'

export function CapaPage() {
  const { id } = useParams({ from: '/app/capa/$id' })
  const { as_of } = useSearch({ from: '/app/capa/$id' })
  return as_of === undefined ? <CapaToday key={id} id={id} /> : <CapaThen id={id} as_of={as_of} />
}

function CapaToday({ id }: { id: number }) {
  const { tab = 'record', for: person } = useSearch({ from: '/app/capa/$id' })
  const navigate = useNavigate({ from: '/capa/$id' })
  const { data: capa, error, refetch } = useQuery(ask('GET /api/capa/{id}', { path: { id } }))
  const [isAssigning, setAssigning] = useState(false)
  useTitle(capa && `${capa.number} ${capa.title}`)
  if (error || !capa) return <NotRead error={error} onRetry={refetch} lines={12} />
  const record = caseOf(capa)
  const { assigned_to } = capa
  return (
    <CasePage
      of={record}
      tab={tab}
      onTab={next =>
        void navigate({ search: caseSearch({ tab: next, for: person }), replace: true, resetScroll: false })
      }
      head={<Head of={capa} actions={<CaseMenu kind="capa" id={id} />} />}
      side={
        <>
          <CapaStep of={capa} />
          <DueDate
            of={record}
            due_date={capa.due_date}
            original_due_date={capa.original_due_date}
            overdue={capa.overdue}
          />
          <CapaPeople of={capa} onAssign={record.you.may.includes('update') ? () => setAssigning(true) : undefined} />
          <CaseRetention kind="capa" id={capa.id} />
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

/** As it was, to be read. */
function CapaThen({ id, as_of }: { id: number; as_of: string }) {
  const { data: capa, error, refetch } = useQuery(ask('GET /api/capa/{id}', { path: { id }, query: { as_of } }))
  useTitle(capa && `${capa.number} ${capa.title}`)
  return (
    <CaseAsOf
      kind="capa"
      id={id}
      as_of={as_of}
      reconstruction={capa?.reconstruction}
      head={capa && <Head of={capa} />}
      side={
        capa && (
          <>
            <DueThen of={capa} />
            <CapaPeople of={capa} />
            <LinksThen document_ids={capa.document_ids} deviation_ids={capa.deviation_ids} />
          </>
        )
      }
    >
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : capa ? (
        <>
          <CapaParts of={capa} />
          <Actions of={capa} />
        </>
      ) : (
        <Loading lines={12} />
      )}
    </CaseAsOf>
  )
}

function Head({ of: capa, actions }: { of: Capa; actions?: ReactNode }) {
  const w = useCapaWords()
  const cases = useCaseWords()
  const { number, title, status, priority, type } = capa
  // One that is linked to a document begins open.
  const way = status === 'draft' ? steps : steps.slice(1)
  return (
    <RecordHead
      list={paths.capas}
      back={w.title}
      number={number}
      title={title}
      actions={actions}
      state={
        <>
          <Status of={status} />
          <PriorityMark of={priority} />
          <span className="soft">{w.types[type]}</span>
        </>
      }
    >
      {!isOver(capa) || status === 'closed' ? <Stepper label={cases.progress} steps={way} current={status} /> : null}
    </RecordHead>
  )
}

function CapaPeople({ of: capa, onAssign }: { of: Capa; onAssign?: (() => void) | undefined }) {
  const w = useCapaWords()
  const cases = useCaseWords()
  const { moment } = useFormat()
  const { assigned_to, created_by, created_at, approved_by, approved_at, closed_by, closed_at } = capa
  return (
    <People
      facts={[
        [cases.assignee, assigned_to],
        [w.createdBy, created_by, moment(created_at)],
        [w.approvedBy, approved_by, approved_at && moment(approved_at)],
        [w.closedBy, closed_by, closed_at && moment(closed_at)],
      ]}
      onAssign={onAssign}
    />
  )
}

import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Repeat } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { AssignDialog } from '../../records/case/assign-dialog.tsx'
import { Attachments } from '../../records/case/attachments.tsx'
import { CaseAsOf, DueThen, FilesThen, LinksThen } from '../../records/case/case-as-of.tsx'
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
import { SeverityMark } from '../../ui/severity.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { canEdit, caseOf, type Deviation, save, steps } from './deviation.ts'
import { DeviationParts } from './deviation-parts.tsx'
import { DeviationStep } from './deviation-step.tsx'
import { useDeviationWords } from './words.ts'

export function DeviationPage() {
  const { id } = useParams({ from: '/app/deviations/$id' })
  const { as_of } = useSearch({ from: '/app/deviations/$id' })
  return as_of === undefined ? <DeviationToday key={id} id={id} /> : <DeviationThen id={id} as_of={as_of} />
}

function DeviationToday({ id }: { id: number }) {
  const { tab = 'record', for: person } = useSearch({ from: '/app/deviations/$id' })
  const navigate = useNavigate({ from: '/deviations/$id' })
  const reader = useMe()
  const { data: deviation, error, refetch } = useQuery(ask('GET /api/deviations/{id}', { path: { id } }))
  const [isAssigning, setAssigning] = useState(false)
  useTitle(deviation && `${deviation.number} ${deviation.title}`)
  if (error || !deviation) return <NotRead error={error} onRetry={refetch} lines={12} />
  const record = caseOf(deviation)
  const { assigned_to } = deviation
  return (
    <CasePage
      of={record}
      tab={tab}
      onTab={next =>
        void navigate({ search: caseSearch({ tab: next, for: person }), replace: true, resetScroll: false })
      }
      head={<Head of={deviation} actions={<CaseMenu kind="deviations" id={id} />} />}
      side={
        <>
          <DeviationStep of={deviation} />
          <DueDate
            of={record}
            due_date={deviation.due_date}
            original_due_date={deviation.original_due_date}
            overdue={deviation.overdue}
          />
          <DeviationPeople
            of={deviation}
            onAssign={canEdit(deviation, 'assignment', reader) ? () => setAssigning(true) : undefined}
          />
          <CaseRetention kind="deviations" id={deviation.id} />
          <Links of={record} />
          <Attachments of={record} />
          {isAssigning && (
            <AssignDialog
              of={record}
              assigned={assigned_to}
              send={(person, sent) => save(deviation, { assigned_to: person }, sent)}
              onClose={() => setAssigning(false)}
            />
          )}
        </>
      }
    >
      <DeviationParts of={deviation} />
    </CasePage>
  )
}

/** As it was, to be read. */
function DeviationThen({ id, as_of }: { id: number; as_of: string }) {
  const {
    data: deviation,
    error,
    refetch,
  } = useQuery(ask('GET /api/deviations/{id}', { path: { id }, query: { as_of } }))
  useTitle(deviation && `${deviation.number} ${deviation.title}`)
  return (
    <CaseAsOf
      kind="deviations"
      id={id}
      as_of={as_of}
      reconstruction={deviation?.reconstruction}
      head={deviation && <Head of={deviation} />}
      side={
        deviation && (
          <>
            <DueThen of={deviation} />
            <DeviationPeople of={deviation} />
            <LinksThen document_ids={deviation.document_ids} capa_ids={deviation.capa_ids} />
            <FilesThen files={deviation.attachments} />
          </>
        )
      }
    >
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : deviation ? (
        <DeviationParts of={deviation} />
      ) : (
        <Loading lines={12} />
      )}
    </CaseAsOf>
  )
}

function Head({ of: deviation, actions }: { of: Deviation; actions?: ReactNode }) {
  const w = useDeviationWords()
  const cases = useCaseWords()
  const { number, title, status, severity, is_recurrence } = deviation
  return (
    <RecordHead
      list={paths.deviations}
      back={w.title}
      number={number}
      title={title}
      actions={actions}
      state={
        <>
          <Status of={status} />
          <SeverityMark of={severity} />
          {is_recurrence && (
            <span className="soft">
              <Repeat size={13} aria-hidden="true" /> {w.recurrence}
            </span>
          )}
        </>
      }
    >
      {status !== 'cancelled' && <Stepper label={cases.progress} steps={steps} current={status} />}
    </RecordHead>
  )
}

function DeviationPeople({ of: deviation, onAssign }: { of: Deviation; onAssign?: (() => void) | undefined }) {
  const w = useDeviationWords()
  const cases = useCaseWords()
  const { moment } = useFormat()
  const { assigned_to, reported_by, reported_at, closed_by, closed_at } = deviation
  return (
    <People
      facts={[
        [cases.assignee, assigned_to],
        [w.reportedBy, reported_by, moment(reported_at)],
        [w.closedBy, closed_by, closed_at && moment(closed_at)],
      ]}
      onAssign={onAssign}
    />
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ArrowRight, Check, Circle, CircleDot, FileDiff, MessageSquare, PenLine, Undo2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { pageOf } from '../../app/addresses.ts'
import { useMemberInSight } from '../../app/series.ts'
import { canTake } from '../../records/allowed.ts'
import { behalfOf } from '../../records/dialogs/acting-for.tsx'
import { Button } from '../../ui/button.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf, Person, type PersonShape } from '../../ui/person.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './approval-panel.module.css'
import { DecisionDialog } from './decision-dialog.tsx'
import { TransitionDialog, useTransitionWords } from './transition-dialog.tsx'

type Document = Answer<'GET /api/documents/{id}'>
type Workflow = Answer<'GET /api/documents/{id}/workflow'>

interface Props {
  document: Document
  /** The one that is looked at. Of one that is not under way, the service says that nothing can be done about it. */
  version: string
  /** It is the one under way, or the effective one where none is: the one that the service tells of unasked. */
  isCurrent: boolean
  /** Of the document now, whichever version is looked at. */
  effective: string | null
  openComments: number
}

/** Where a version stands, whom it waits for, and what the person who looks can do about it. */
export function ApprovalPanel({ document, version, isCurrent, effective, openComments }: Props) {
  const { document: w } = useWords()
  const {
    data: workflow,
    error,
    refetch,
  } = useQuery(
    ask('GET /api/documents/{id}/workflow', { path: { id: document.id }, ...(!isCurrent && { query: { version } }) }),
  )
  const [isDecided, setDecided] = useState(false)
  if (error || !workflow) return <NotRead error={error} onRetry={refetch} />

  const isDecidable = workflow.approvals.some(each => each.status === 'pending')
  const isYours = canTake(workflow.you, 'approve')
  return (
    <section className={`${styles.panel} ${isYours ? styles.yours : ''}`} aria-label={w.progress}>
      <h2>{isYours ? w.yourTurn : w.progress}</h2>
      {!workflow.you.may.includes('approve') && <ForOthers of={workflow.you} />}
      <NextStep document={document} workflow={workflow} />
      {isDecided && <NextDecision page={`/documents/${document.id}`} />}
      {isDecidable && (
        <Decide
          document={document}
          workflow={workflow}
          openComments={openComments}
          isDecided={isDecided}
          onDecided={() => setDecided(true)}
        />
      )}
      <Before document={document} version={version} effective={effective} openComments={openComments} />
      <Steps document={document} workflow={workflow} />
    </section>
  )
}

/** For whom a deputy can decide. */
function ForOthers({ of: you }: { of: Workflow['you'] }) {
  const { deputies: w } = useWords()
  const { list } = useFormat()
  const { people } = behalfOf(you, 'approve')
  if (people.length === 0) return null
  return <p className="soft">{w.actingFor(list(people.map(nameOf)))}</p>
}

/** Whoever has decided goes on to what waits for them next; in a series, the bar above leads on. */
function NextDecision({ page }: { page: string }) {
  const { series: w, work } = useWords()
  const navigate = useNavigate()
  const isInSeries = useMemberInSight() !== undefined
  const { data } = useQuery(ask('GET /api/dashboard/pending-approvals', { query: { limit: 50 } }))
  if (isInSeries || !data) return null
  const next = data.documents.find(each => each.for === null && pageOf(each.link) !== page)
  if (!next) return <p className="soft">{work.nothingToDecide}</p>
  return (
    <div className={styles.next} data-print="none">
      <Button look="main" autoFocus icon={ArrowRight} onPress={() => void navigate({ href: pageOf(next.link)! })}>
        {w.goToNext}
      </Button>
      <p className="soft">
        <span className="number">{next.number}</span> {next.title}
      </p>
    </div>
  )
}

/** A draft is submitted: the way that its workflow names first is the one on. */
function NextStep({ document, workflow }: { document: Document; workflow: Workflow }) {
  const wordsOf = useTransitionWords(workflow)
  const [isOpen, setOpen] = useState(false)
  const next = workflow.you.may.find(each => each !== 'approve' && each !== 'reject')
  if (workflow.state.kind !== 'initial' || next === undefined) return null
  return (
    <div className={styles.next} data-print="none">
      <Button look="main" icon={ArrowRight} onPress={() => setOpen(true)}>
        {wordsOf(next).action}
      </Button>
      {isOpen && (
        <TransitionDialog document={document} workflow={workflow} transition={next} onClose={() => setOpen(false)} />
      )}
    </div>
  )
}

/** What to look at before one decides. */
function Before({ document: { id, status }, version, effective, openComments }: Omit<Props, 'isCurrent'>) {
  const { reading: w } = useWords()
  const isNewer = effective !== null && effective !== version && !isInForceOrOver(status)
  if (!isNewer && openComments === 0) return null
  return (
    <ul className={styles.before} data-print="none">
      {isNewer && (
        <li>
          <FileDiff size={14} aria-hidden="true" />
          <Link to="/documents/$id/compare" params={{ id }} search={{ from: effective, to: version }}>
            {w.changedSince(effective)}
          </Link>
        </li>
      )}
      {openComments > 0 && (
        <li>
          <MessageSquare size={14} aria-hidden="true" />
          <Link to="/documents/$id" params={{ id }} search={{ version, tab: 'comments' }}>
            {w.openComments(openComments)}
          </Link>
        </li>
      )}
    </ul>
  )
}

const isInForceOrOver = (status: string) => ['effective', 'superseded', 'obsolete', 'cancelled'].includes(status)

interface DecideProps extends Omit<Props, 'version' | 'isCurrent' | 'effective'> {
  workflow: Workflow
  /** Just now, by this person. */
  isDecided: boolean
  onDecided: () => void
}

function Decide({ document, workflow, openComments, isDecided, onDecided }: DecideProps) {
  const { document: w } = useWords()
  const { permissions } = useMe()
  const [decision, setDecision] = useState<'approve' | 'reject'>()
  const { why_not } = workflow.you
  // What a role never does is not shown; what is refused here and now is shown, with the reason.
  if (!permissions.includes('documents.approve') && !permissions.includes('documents.review')) return null
  const whyNot = (way: 'approve' | 'reject') =>
    canTake(workflow.you, way) ? undefined : (why_not?.detail ?? w.notYours)
  const isBlocked = whyNot('approve') !== undefined
  return (
    <>
      <div className={styles.buttons} data-print="none">
        <Button
          look={isBlocked || isDecided ? 'plain' : 'main'}
          icon={PenLine}
          whyNot={whyNot('approve')}
          onPress={() => setDecision('approve')}
        >
          {w.approve}
        </Button>
        <Button icon={Undo2} whyNot={whyNot('reject')} onPress={() => setDecision('reject')}>
          {w.reject}
        </Button>
      </div>
      {decision && (
        <DecisionDialog
          document={document}
          workflow={workflow}
          decision={decision}
          openComments={openComments}
          onDecided={onDecided}
          onClose={() => setDecision(undefined)}
        />
      )}
    </>
  )
}

/** More of them would push what follows out of sight. */
const most_named = 4

const marks = { given: Check, pending: CircleDot, ahead: Circle }

function Steps({
  document,
  workflow: { approvals, version, due_date, overdue },
}: {
  document: Document
  workflow: Workflow
}) {
  const { document: w } = useWords()
  const { moment, list, day } = useFormat()
  const wasInForce = document.effective_version === version || ['superseded', 'obsolete'].includes(document.status)
  const namesOf = ({ people, total }: { people: PersonShape[]; total: number }) => {
    const named = people.slice(0, most_named).map(nameOf)
    return list(total > named.length ? [...named, w.others(total - named.length)] : named)
  }
  return (
    <ol className={styles.steps}>
      <Step kind="given" title={w.written} detail={w.versionOf(version)}>
        <Person of={document.created_by ?? document.owner} />
      </Step>
      {approvals.map(({ transition, label, status, rules }) => (
        <Step
          key={transition}
          kind={status}
          title={(w.transitions as Record<string, string>)[transition] ?? label}
          detail={w.steps[status]}
        >
          {status === 'pending' && due_date && (
            <p className={overdue ? styles.late : 'soft'}>{w.dueOn(day(due_date))}</p>
          )}
          {rules.map(({ in_words, needed, given, missing, may_decide_now }) => (
            <div key={in_words}>
              {given.map(({ user, decided_at, for: principal }) => (
                <p key={user.id}>
                  <Person of={user} />
                  <time dateTime={decided_at}>{moment(decided_at)}</time>
                  {principal && <span>{w.onBehalf(nameOf(principal))}</span>}
                </p>
              ))}
              {missing > 0 && (
                <p className="soft" title={in_words}>
                  {status !== 'pending'
                    ? w.needs(needed)
                    : may_decide_now.total > 0
                      ? w.waits(namesOf(may_decide_now))
                      : w.nobody}
                </p>
              )}
            </div>
          ))}
        </Step>
      ))}
      <Step kind={wasInForce ? 'given' : 'ahead'} title={w.inForce}>
        {document.effective_date && <p className="soft">{day(document.effective_date)}</p>}
      </Step>
    </ol>
  )
}

interface StepProps {
  kind: keyof typeof marks
  title: string
  detail?: string
  children?: ReactNode
}

export function Step({ kind, title, detail, children }: StepProps) {
  const Mark = marks[kind]
  return (
    <li className={styles[kind]} aria-current={kind === 'pending' ? 'step' : undefined}>
      <Mark size={14} strokeWidth={kind === 'given' ? 3 : 2} aria-hidden="true" />
      <div>
        <h3>
          {title} {detail && <span>{detail}</span>}
        </h3>
        {children}
      </div>
    </li>
  )
}

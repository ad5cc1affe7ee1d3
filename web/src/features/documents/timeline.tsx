import { useQuery } from '@tanstack/react-query'
import { ArrowRight, FilePlus2, PenLine, Undo2, UserRoundCheck } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import styles from '../../records/timeline.module.css'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat, useWords } from '../../words/index.ts'

type Event = Answer<'GET /api/documents/{id}/history'>[number]

export function Timeline({ id }: { id: number }) {
  const { document: w } = useWords()
  const { data, error, refetch } = useQuery(ask('GET /api/documents/{id}/history', { path: { id } }))
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  const versions = Map.groupBy(data.toReversed(), ({ version }) => version)
  return [...versions].map(([version, events]) => (
    <section key={version} className={styles.version}>
      <h2>{w.versionOf(version)}</h2>
      <ol className={styles.events}>
        {events.map((event, index) => (
          <Line
            key={`${event.kind} ${event.occurred_at} ${event.transition}`}
            event={event}
            // A rejection is a decision and a transition, and its reason is read once.
            isSaid={event.comment !== null && event.comment === events[index + 1]?.comment}
          />
        ))}
      </ol>
    </section>
  ))
}

function Line({ event, isSaid }: { event: Event; isSaid: boolean }) {
  const { document: w } = useWords()
  const { moment } = useFormat()
  const { kind, occurred_at, user, trigger, decision, comment, is_void } = event
  const Icon = kind.startsWith('delegation')
    ? UserRoundCheck
    : decision === 'reject' || kind === 'decision_withdrawn'
      ? Undo2
      : decision
        ? PenLine
        : event.from === null
          ? FilePlus2
          : ArrowRight
  return (
    <li className={kind === 'decision' && decision ? styles[decision] : ''}>
      <Icon size={14} aria-hidden="true" />
      <div>
        <p>
          {user && trigger !== 'automatic' && !event.delegation && <b>{nameOf(user)}</b>} <What event={event} />
          {trigger === 'automatic' && <span className="soft"> {w.byItself}</span>}
          {is_void && <span className="soft"> {w.noEffect}</span>}
        </p>
        {comment && !isSaid && trigger !== 'automatic' && <blockquote>{comment}</blockquote>}
        <time className="soft" dateTime={occurred_at}>
          {moment(occurred_at)}
        </time>
      </div>
    </li>
  )
}

function What({ event: { kind, from, to, decision, version, delegation, signature_id } }: { event: Event }) {
  const { document: w } = useWords()
  if (delegation)
    return (kind === 'delegation' ? w.handedOn : w.handedBack)(nameOf(delegation.from), nameOf(delegation.to))
  if (kind === 'decision_withdrawn') return w.withdrewDecision
  if (decision) return decision === 'reject' ? w.rejectedStep : signature_id === null ? w.approvedStep : w.signedStep
  if (from === null || to === null) return w.created(version)
  return (
    <span className={styles.way}>
      <Status of={from} size="s" />
      <ArrowRight size={13} role="img" aria-label={w.becomes} />
      <Status of={to} size="s" />
    </span>
  )
}

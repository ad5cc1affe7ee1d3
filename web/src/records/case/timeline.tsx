import { useQuery } from '@tanstack/react-query'
import {
  ArrowRight,
  BadgeCheck,
  CalendarPlus,
  FileX2,
  Link2,
  type LucideIcon,
  MessageSquare,
  Paperclip,
  Pencil,
  PenLine,
  Target,
  Unlink,
} from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { ask, askAll } from '../../api/queries.ts'
import { textOf } from '../../app/addresses.ts'
import { Empty, NotRead } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import styles from '../timeline.module.css'
import type { CaseKind } from './case.ts'
import { useCaseWords } from './words.ts'

type Event = Answer<'GET /api/deviations/{id}/timeline'>['items'][number]

const icons: Record<Event['kind'], LucideIcon> = {
  moved: ArrowRight,
  changed: Pencil,
  plan_approved: BadgeCheck,
  commented: MessageSquare,
  attached: Paperclip,
  file_removed: FileX2,
  linked: Link2,
  unlinked: Unlink,
  extension_requested: CalendarPlus,
  extension_decided: CalendarPlus,
  signed: PenLine,
  review_planned: Target,
  review_changed: Target,
  review_completed: Target,
}

/** Everything that happened to the record, the newest first. */
export function Timeline({ kind, id }: { kind: CaseKind; id: number }) {
  const { data, error, refetch } = useQuery(askAll(`GET /api/${kind}/{id}/timeline`, { path: { id } }))
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  return (
    <ol className={styles.events}>
      {data.map((event, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: events have no id, and are only ever added
        <Line key={`${event.at} ${event.kind} ${index}`} of={event} />
      ))}
    </ol>
  )
}

function Line({ of: event }: { of: Event }) {
  const { moment } = useFormat()
  const { kind, at, by, details } = event
  const Icon = icons[kind]
  const said = [details.reason, details.comment, details.text, details.description].find(
    each => typeof each === 'string',
  )
  return (
    <li>
      <Icon size={14} aria-hidden="true" />
      <div>
        <p>
          {by && <b>{nameOf(by)}</b>} <What of={event} />
        </p>
        {said !== undefined && <blockquote>{said as string}</blockquote>}
        <time className="soft" dateTime={at}>
          {moment(at)}
        </time>
      </div>
    </li>
  )
}

function What({ of: { kind, details } }: { of: Event }) {
  const w = useCaseWords()
  const { document: dw } = useWords()
  const { day, list } = useFormat()
  const text = (name: string) => textOf(details[name])
  const nameOfField = (field: string) => (w.fields as Record<string, string>)[field] ?? field.replaceAll('_', ' ')
  switch (kind) {
    case 'moved':
      if (details.from === null) return w.happened.created
      return (
        <span className={styles.way}>
          <Status of={text('from')} size="s" />
          <ArrowRight size={13} role="img" aria-label={dw.becomes} />
          <Status of={text('to')} size="s" />
        </span>
      )
    case 'changed':
    case 'review_changed': {
      // An entry without changes was redacted.
      const changed = Object.keys((details.changes as object | null) ?? {}).filter(each => each !== 'revision')
      return w.happened[kind](changed.length > 0 ? list(changed.map(nameOfField), 'conjunction') : w.happened.redacted)
    }
    case 'attached':
      return w.happened.attached(text('file_name'))
    case 'linked':
    case 'unlinked':
      return w.happened[kind](text('resource_number') || w.happened.unreadable)
    case 'extension_requested':
      return w.happened.extensionRequested(day(text('to_date')))
    case 'extension_decided':
      return details.status === 'approved'
        ? w.happened.extended(day(text('to_date')))
        : w.happened.extensionRejected(day(text('to_date')))
    default:
      return w.happened[kind]
  }
}

/** The states that it went through, in order, each with the reason and whether it was signed. */
export function History({ kind, id }: { kind: CaseKind; id: number }) {
  const w = useCaseWords()
  const { document: dw } = useWords()
  const { moment } = useFormat()
  const { data, error, refetch } = useQuery(ask(`GET /api/${kind}/{id}/history`, { path: { id } }))
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  if (data.length === 0) return <Empty icon={ArrowRight} title={w.noHistory} />
  return (
    <ol className={styles.events}>
      {data.map(({ id: entry, from, to, user, reason, signature_id, occurred_at }) => (
        <li key={entry}>
          {signature_id === null ? (
            <ArrowRight size={14} aria-hidden="true" />
          ) : (
            <PenLine size={14} aria-hidden="true" />
          )}
          <div>
            <p>
              {from === null ? (
                <Status of={to} size="s" />
              ) : (
                <span className={styles.way}>
                  <Status of={from} size="s" />
                  <ArrowRight size={13} role="img" aria-label={dw.becomes} />
                  <Status of={to} size="s" />
                </span>
              )}{' '}
              {user && nameOf(user)}
              {signature_id !== null && <span className="soft"> · {w.signed}</span>}
            </p>
            {reason && <blockquote>{reason}</blockquote>}
            <time className="soft" dateTime={occurred_at}>
              {moment(occurred_at)}
            </time>
          </div>
        </li>
      ))}
    </ol>
  )
}

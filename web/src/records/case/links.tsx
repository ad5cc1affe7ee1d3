import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Link2, Unlink } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { askAll } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { Status } from '../../ui/status.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useActWords } from '../../words/acts.ts'
import { isOffered, whyNotOf } from '../allowed.ts'
import { ActDialog, Subject } from '../dialogs/act-dialog.tsx'
import { behalfOf } from '../dialogs/acting-for.tsx'
import { type Found, type RecordKind, RecordPicker } from '../fields/record-picker.tsx'
import { Disposed } from '../retention.tsx'
import type { Case, CaseKind } from './case.ts'
import styles from './parts.module.css'
import { useCaseWords } from './words.ts'

type LinkOf = Answer<'GET /api/deviations/{id}/links'>['items'][number]
type Relation = LinkOf['relation']

const pages = { document: paths.document, deviation: paths.deviation, capa: paths.capa } as const
const order: RecordKind[] = ['document', 'capa', 'deviation']

/** What a link of these two kinds can mean, the usual one first. */
const relations: Record<CaseKind, Partial<Record<RecordKind, readonly Relation[]>>> = {
  deviations: {
    document: ['reference', 'violated_procedure', 'evidence', 'updated_by'],
    capa: ['related', 'root'],
    deviation: ['similar', 'recurrence', 'duplicate'],
  },
  capa: { document: ['reference', 'changes', 'evidence'], deviation: ['related', 'root'] },
}

export const linksOf = (kind: CaseKind, id: number) =>
  askAll(`GET /api/${kind}/{id}/links`, { path: { id }, query: { sort: 'id:asc' } })

export function Links({ of: record }: { of: Case }) {
  const w = useCaseWords()
  const { data, error, refetch } = useQuery(linksOf(record.kind, record.id))
  const [isOpen, setOpen] = useState(false)
  const [removed, setRemoved] = useState<LinkOf>()
  return (
    <section aria-labelledby="links">
      <header className={styles.head}>
        <h2 id="links">{w.links}</h2>
        {isOffered(record.you, 'link') && (
          <span data-print="none">
            <Button look="quiet" icon={Link2} whyNot={whyNotOf(record.you, 'link')} onPress={() => setOpen(true)}>
              {w.link}
            </Button>
          </span>
        )}
      </header>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={2} />
      ) : data.length === 0 ? (
        <p className="soft">{w.noLinks}</p>
      ) : (
        <ul className={styles.links}>
          {order
            .flatMap(kind => data.filter(({ resource_type }) => resource_type === kind))
            .map(link => (
              <Row key={link.id} of={link} onRemove={() => setRemoved(link)} />
            ))}
        </ul>
      )}
      {isOpen && <LinkDialog of={record} onClose={() => setOpen(false)} />}
      {removed && <UnlinkDialog of={record} link={removed} onClose={() => setRemoved(undefined)} />}
    </section>
  )
}

function Row({ of: link, onRemove }: { of: LinkOf; onRemove: () => void }) {
  const w = useCaseWords()
  const { resource_type, resource_id, number, title, status, relation, direction, disposal, you } = link
  return (
    <li>
      <div>
        <Link to={pages[resource_type]} params={{ id: resource_id }}>
          <span className="number">{number}</span> {title}
        </Link>
        <p className="soft">
          {(direction === 'to' ? w.relations : w.relationsFrom)[relation]} <Status of={status} size="s" />{' '}
          <Disposed of={disposal} />
        </p>
      </div>
      {isOffered(you, 'remove') && (
        <span data-print="none">
          <Button
            look="icon"
            label={w.unlinkOf(number)}
            icon={Unlink}
            isDisabled={whyNotOf(you, 'remove') !== undefined}
            onPress={onRemove}
          />
        </span>
      )}
    </li>
  )
}

interface Props {
  of: Case
  onClose: () => void
}

function LinkDialog({ of: { kind, id, number, title, revision, you }, onClose }: Props) {
  const w = useCaseWords()
  const [found, setFound] = useState<Found>()
  const [relation, setRelation] = useState<Relation>()
  const [isTried, setTried] = useState(false)
  const kinds = Object.keys(relations[kind]) as RecordKind[]
  const means = found ? (relations[kind][found.kind as RecordKind] ?? []) : []
  return (
    <ActDialog
      title={w.linkTitle}
      about={<Subject of={{ number, title }} />}
      size="m"
      revision={revision}
      isComplete={() => {
        setTried(true)
        return found !== undefined
      }}
      behalf={behalfOf(you, 'link')}
      send={(_revision, on_behalf_of) =>
        call(`POST /api/${kind}/{id}/links`, {
          path: { id },
          body: {
            resource_type: found!.kind as 'document' | 'deviation',
            resource_id: found!.id,
            ...(relation && { relation }),
            ...(on_behalf_of !== undefined && { on_behalf_of }),
          },
        })
      }
      onDone={({ number: other }) => announce(w.linked(other))}
      onClose={onClose}
      submit={w.link}
    >
      {problem => (
        <>
          <RecordPicker
            label={w.record}
            kinds={kinds}
            isRequired
            autoFocus
            onChange={next => {
              setFound(next)
              setRelation(undefined)
            }}
            wrong={problem?.of('resource_id') ?? (isTried && !found ? w.noRecord : undefined)}
          />
          {found && (
            <Select
              label={w.relation}
              options={means.map(each => ({ id: each, name: w.relations[each] }))}
              value={relation ?? means[0]!}
              onChange={next => setRelation(next as Relation)}
              wrong={problem?.of('relation')}
            />
          )}
        </>
      )}
    </ActDialog>
  )
}

function UnlinkDialog({ of: { kind, id, number, title, revision }, link, onClose }: Props & { link: LinkOf }) {
  const w = useCaseWords()
  const acts = useActWords()
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  return (
    <ActDialog
      title={w.unlinkOf(link.number)}
      about={<Subject of={{ number, title }} />}
      revision={revision}
      isComplete={() => {
        setTried(true)
        return reason.trim() !== ''
      }}
      send={() =>
        call(`DELETE /api/${kind}/{id}/links/{link_id}`, {
          path: { id, link_id: link.id },
          body: { reason: reason.trim() },
        })
      }
      onDone={() => announce(w.unlinked(link.number))}
      onClose={onClose}
      submit={w.unlink}
      look="danger"
    >
      {problem => (
        <Field
          label={acts.reason}
          rows={2}
          isRequired
          autoFocus
          value={reason}
          onChange={setReason}
          wrong={problem?.of('reason') ?? (isTried && !reason.trim() ? acts.missing.reason : undefined)}
        />
      )}
    </ActDialog>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { History } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { ask } from '../../api/queries.ts'
import page from '../../records/record-page.module.css'
import { DocumentContent } from '../../records/viewer/document-content.tsx'
import { Button } from '../../ui/button.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import styles from './document-as-of.module.css'
import { Facts } from './facts.tsx'

/** A document as it was, to be read: what could be done then is over, and nothing can be pressed. */
export function DocumentAsOf({ id, as_of, version }: { id: number; as_of: string; version: string | undefined }) {
  const { document: w, reading: r } = useWords()
  const { day, moment } = useFormat()
  const { data, error, refetch } = useQuery(ask('GET /api/documents/{id}', { path: { id }, query: { as_of, version } }))
  useTitle(data && `${data.number} ${data.title}`)
  const then = as_of.length === 10 ? day(as_of) : moment(as_of)
  const { unknown = [], left_out = [] } = data?.reconstruction ?? {}
  return (
    <div className={page.page}>
      <header className={page.head}>
        <div className={styles.bar} role="note">
          <History size={15} aria-hidden="true" />
          <b>{r.asOf(then)}</b>
          <Link to="/documents/$id" params={{ id }}>
            {r.backToToday}
          </Link>
          {data && <p>{r.fromTrail}</p>}
          {unknown.length > 0 && <p>{r.unknownChanges(unknown.length)}</p>}
          {left_out.length > 0 && <p>{r.leftOut}</p>}
        </div>
        {data && (
          <>
            <h1>
              <span className={page.number}>{data.number}</span> {data.title}
            </h1>
            <p className={page.state}>
              <Status of={data.status} />
              <span>{w.versionOf(data.version)}</span>
              <span className="soft">{data.document_type.name}</span>
            </p>
          </>
        )}
      </header>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <div className={page.columns}>
          <DocumentContent document={data} version={data.version} />
          <div className={page.side}>
            <Facts document={data} />
          </div>
        </div>
      ) : (
        <Loading lines={12} />
      )}
    </div>
  )
}

export function AsOfDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const { reading: w, common } = useWords()
  const { today } = useFormat()
  const navigate = useNavigate()
  const [day, setDay] = useState('')
  const isOver = day < today()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (day === '' || !isOver) return
    onClose()
    void navigate({ to: '/documents/$id', params: { id }, search: { as_of: day } })
  }
  return (
    <Dialog isOpen onClose={onClose} title={w.asOfTitle}>
      <form onSubmit={submit}>
        <DayField
          label={w.day}
          hint={w.dayHint}
          autoFocus
          isRequired
          value={day}
          onChange={setDay}
          wrong={isOver ? undefined : w.dayNotOver}
        />
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="main">
            {w.show}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

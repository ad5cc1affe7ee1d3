import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import { canTake } from '../../records/allowed.ts'
import { sizeInWords } from '../../records/fields/file-rules.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { NotRead, Refused } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { type Batch, lookOfRow, type Row } from './batch.ts'
import styles from './imports.module.css'
import { RecordLink } from './rows-table.tsx'
import { useImportWords } from './words.ts'

interface Props {
  batch: Batch
  id: number
  /** It is compared with its source here. */
  isSample: boolean
  onClose: () => void
}

/** All that is known of a row: what the sheet says, what becomes of it, and what was found. */
export function RowDialog({ batch, id, isSample, onClose }: Props) {
  const words = useImportWords()
  const { row: w, check: cw } = words
  const { common } = useWords()
  const { moment } = useFormat()
  const { data, error, refetch } = useQuery(
    ask('GET /api/migrations/{id}/rows/{row_id}', { path: { id: batch.id, row_id: id } }),
  )
  const sheet = batch.sheets.find(({ name }) => name === data?.sheet)
  const title = data ? w.title(words.sheets[data.sheet], data.line) : common.loading
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="m"
      title={isSample && data ? words.sample.title : title}
      about={data && (isSample ? `${title}: ${data.key ?? ''}` : data.key)}
    >
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={8} />
      ) : (
        <div className={styles.row}>
          <p className="row in-middle">
            <Status of={lookOfRow[data.status]} name={words.rowStatuses[data.status]} />
            <RecordLink row={data} />
          </p>
          {data.messages.length > 0 && (
            <section>
              <h3>{w.findings}</h3>
              <ul className={styles.messages}>
                {data.messages.map(({ column, message, todo }) => (
                  <li key={`${column} ${message}`}>
                    <p>
                      <b>{column ? cw.inColumn(column) : cw.inColumn(w.whole)}</b> {message}
                    </p>
                    <p className="soft">
                      {w.toDo}: {todo}
                    </p>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {data.differences.length > 0 && <Differences of={data.differences} />}
          <div className={styles.two}>
            <section>
              <h3>{w.values}</h3>
              <Values
                of={data.values}
                order={sheet?.columns.map(({ name }) => name) ?? []}
                label={name => name}
                unread={data.messages.flatMap(({ column }) => column ?? [])}
              />
            </section>
            <section>
              <h3>{data.record ? w.plannedThen : w.planned}</h3>
              {data.planned ? (
                <Values
                  of={data.planned}
                  order={Object.keys(words.fields)}
                  label={name => words.fields[name] ?? name.replaceAll('_', ' ')}
                />
              ) : (
                <p className="soft">{data.status === 'error' ? w.plannedWrong : w.plannedNot}</p>
              )}
            </section>
          </div>
          {data.sample && (
            <section>
              <h3>{w.sample}</h3>
              <p>
                <Status
                  of={data.sample.finding === 'ok' ? 'done' : 'overdue'}
                  name={words.sample.findings[data.sample.finding]}
                />{' '}
                <span className="soft">{w.sampled(nameOf(data.sample.by), moment(data.sample.at))}</span>
              </p>
              {data.sample.comment && <p>“{data.sample.comment}”</p>}
            </section>
          )}
          {isSample && canTake(batch.you, 'sample') && data.status !== 'error' ? (
            <SampleForm batch={batch} row={data} onClose={onClose} />
          ) : (
            <DialogButtons>
              <Button onPress={onClose}>{common.close}</Button>
            </DialogButtons>
          )}
        </div>
      )}
    </Dialog>
  )
}

function Differences({ of: differences }: { of: Row['differences'] }) {
  const { row: w } = useImportWords()
  return (
    <section>
      <h3>{w.differences}</h3>
      <div className={styles.counts}>
        <table>
          <thead>
            <tr>
              <th scope="col">{w.column}</th>
              <th scope="col">{w.inRow}</th>
              <th scope="col">{w.inRecord}</th>
            </tr>
          </thead>
          <tbody>
            {differences.map(({ column, row, record }) => (
              <tr key={column}>
                <th scope="row">{column}</th>
                <td>{row ?? w.empty}</td>
                <td>{record ?? w.empty}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface ValuesProps {
  of: Record<string, unknown> | null
  /** The names in their order; others come last. */
  order: readonly string[]
  label: (name: string) => string
  /** Of these, an empty value may be one that could not be read. */
  unread?: readonly string[]
}

function Values({ of: values, order, label, unread = [] }: ValuesProps) {
  const { row: w } = useImportWords()
  const inWords = useInWords()
  const placeOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)
  return (
    <dl className={styles.values}>
      {Object.entries(values ?? {})
        .sort(([one], [other]) => placeOf(one) - placeOf(other))
        .map(([name, value]) => (
          <div key={name}>
            <dt>{label(name)}</dt>
            <dd>
              {value === null && unread.includes(name) ? (
                <span className={styles.bad}>{w.unread}</span>
              ) : (
                inWords(value)
              )}
            </dd>
          </div>
        ))}
    </dl>
  )
}

/** A value as a person reads it: a file is its name, a list its items. */
function useInWords() {
  const { row: w, fields } = useImportWords()
  const { day, locale, list } = useFormat()
  const inWords = (value: unknown): ReactNode => {
    if (value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
      return <span className="soft">{w.empty}</span>
    if (typeof value === 'boolean') return value ? w.yes : w.no
    if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}$/.test(value) ? day(value) : value
    if (typeof value === 'number') return String(value)
    if (Array.isArray(value)) return list(value.map(String), 'conjunction')
    const parts = value as Record<string, unknown>
    if (typeof parts.name === 'string' && typeof parts.size === 'number')
      return `${parts.name} (${sizeInWords(parts.size, locale)})`
    return Object.entries(parts)
      .map(([name, each]) => `${fields[name] ?? name}: ${String(each)}`)
      .join(', ')
  }
  return inWords
}

type Finding = 'ok' | 'differs'

function SampleForm({ batch, row, onClose }: { batch: Batch; row: Row; onClose: () => void }) {
  const { sample: w } = useImportWords()
  const { common } = useWords()
  const client = useQueryClient()
  const [finding, setFinding] = useState<Finding | ''>(row.sample?.finding ?? '')
  const [comment, setComment] = useState(row.sample?.comment ?? '')
  const [isTried, setTried] = useState(false)
  const isMissing = finding === 'differs' && comment.trim() === ''
  const { mutate, isPending, error } = useMutation<
    Answer<'POST /api/migrations/{id}/rows/{row_id}/sample'>,
    Problem,
    Finding
  >({
    mutationFn: found =>
      call('POST /api/migrations/{id}/rows/{row_id}/sample', {
        path: { id: batch.id, row_id: row.id },
        body: { finding: found, ...(comment.trim() && { comment: comment.trim() }) },
      }),
    async onSuccess() {
      announce(w.recorded(row.key ?? String(row.line)))
      onClose()
      await refresh(client, 'migrations/')
    },
  })
  const save = () => {
    setTried(true)
    if (finding !== '' && !isMissing && !isPending) mutate(finding)
  }
  return (
    <Form onSend={save} className={styles.sample} noValidate>
      {error && error.issues.length === 0 && <Refused error={error} />}
      <Choice
        label={w.findingField}
        isRequired
        options={(['ok', 'differs'] as const).map(id => ({ id, name: w.findings[id] }))}
        value={finding}
        onChange={setFinding}
        wrong={error?.of('finding') ?? (isTried && finding === '' ? w.findingMissing : undefined)}
      />
      <Field
        label={finding === 'differs' ? w.commentDiffers : w.comment}
        rows={2}
        maxLength={2000}
        isRequired={finding === 'differs'}
        value={comment}
        onChange={setComment}
        wrong={error?.of('comment') ?? (isTried && isMissing ? w.commentMissing : undefined)}
      />
      <DialogButtons>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button type="submit" look="main" isPending={isPending}>
          {w.submit}
        </Button>
      </DialogButtons>
    </Form>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import { refreshRecords } from '../../api/queries.ts'
import { useMe } from '../../features/session/session.ts'
import { type Bind, bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { behalfOf, useActingFor } from '../dialogs/acting-for.tsx'
import type { Case, Sent } from './case.ts'
import styles from './parts.module.css'
import { useCaseWords } from './words.ts'

export interface Editing<F> {
  fields: F
  change: (next: Partial<F>) => void
  /** The properties of a field, by its name. */
  bind: Bind<F>
  problem: Problem | null
  /** Somebody tried to save: what is missing is said. */
  isTried: boolean
}

interface Props<F extends object> {
  of: Case
  /** Its anchor on the page, and its name among the drafts. */
  name: string
  title: string
  /** What it says now. */
  children: ReactNode
  canEdit: boolean
  /** The fields as they are. */
  before: F
  isComplete?: (fields: F) => boolean
  form: (editing: Editing<NoInfer<F>>) => ReactNode
  send: (fields: F, sent: Sent) => Promise<unknown>
}

/** A part of a record, which is changed in its place, with the reason for the change. What is typed outlives a reload and a conflict. */
export function Part<F extends object>({ of: record, name, title, children, canEdit, before, ...rest }: Props<F>) {
  const w = useCaseWords()
  const draft = useFormDraft(`${name} ${useMe().id} ${record.kind} ${record.id}`, { ...before, change_reason: '' })
  const [isOpen, setOpen] = useState(draft.isTyped)
  return (
    <section className={styles.part} aria-labelledby={name}>
      <header className={styles.head}>
        <h2 id={name}>{title}</h2>
        {canEdit && !isOpen && (
          <span data-print="none">
            <Button look="quiet" icon={Pencil} aria-label={w.editPart(title)} onPress={() => setOpen(true)}>
              {w.edit}
            </Button>
          </span>
        )}
      </header>
      {isOpen && canEdit ? (
        <PartForm of={record} title={title} draft={draft} onClose={() => setOpen(false)} now={children} {...rest} />
      ) : (
        children
      )}
    </section>
  )
}

interface FormProps<F extends object> extends Pick<Props<F>, 'of' | 'title' | 'isComplete' | 'form' | 'send'> {
  draft: Omit<ReturnType<typeof useFormDraft<F & { change_reason: string }>>, 'isTyped'>
  onClose: () => void
  /** What the record says, for who has to compare it. */
  now: ReactNode
}

function PartForm<F extends object>({ of: record, title, isComplete, form, send, draft, onClose, now }: FormProps<F>) {
  const w = useCaseWords()
  const acts = useActWords()
  const { common } = useWords()
  const { moment } = useFormat()
  const client = useQueryClient()
  const [isTried, setTried] = useState(false)
  const { fields, change, forget } = draft
  const changePart = change as (next: Partial<F>) => void
  const reason = fields.change_reason.trim()
  const acting = useActingFor(behalfOf(record.you, 'update'))
  const lacksReason = record.needsReason && reason === ''
  const { mutate, isPending, error, variables } = useMutation<unknown, Problem, number>({
    mutationFn: revision =>
      send(fields, {
        revision,
        ...(reason && { change_reason: reason }),
        ...(acting.id !== undefined && { on_behalf_of: acting.id }),
      }),
    onSuccess: () => {
      forget()
      announce(w.saved(record.number, title))
      onClose()
      return refreshRecords(client)
    },
    onError: ({ status }) => {
      if (status === 409) void refreshRecords(client)
    },
  })
  const submit = () => {
    setTried(true)
    if (!isPending && !lacksReason && (isComplete?.(fields) ?? true)) mutate(record.revision)
  }
  // Nothing was stored, and what was typed is here: whoever typed it sees what the record says now, and decides.
  const isConflict = error?.status === 409 && variables !== record.revision
  const by = record.updated_by
  return (
    <Form className={styles.edit} onSend={submit} noValidate>
      {isConflict ? (
        <div className={styles.conflict}>
          <Refused>{w.changedMeanwhile(by && nameOf(by), moment(record.updated_at))}</Refused>
          <div className={styles.now}>
            <h3>{w.nowItSays}</h3>
            {now}
          </div>
        </div>
      ) : (
        error && error.issues.length === 0 && <Refused error={error} />
      )}
      {acting.field}
      {form({ fields, change: changePart, bind: bindingOf<F>(fields, changePart), problem: error, isTried })}
      <Field
        label={acts.changeReason}
        isRequired={record.needsReason}
        value={fields.change_reason}
        onChange={change_reason => change({ change_reason } as Partial<F & { change_reason: string }>)}
        wrong={error?.of('change_reason') ?? (isTried && lacksReason ? acts.missing.reason : undefined)}
      />
      <div className="row at-end">
        <Button
          onPress={() => {
            forget()
            onClose()
          }}
        >
          {common.cancel}
        </Button>
        <Button type="submit" look="main" isPending={isPending}>
          {isConflict ? w.saveAnyway : w.save}
        </Button>
      </div>
    </Form>
  )
}

/** A text of a record as it was written; where there is none, that. */
export function Written({ text, none }: { text: string | null; none?: string }) {
  const w = useCaseWords()
  if (!text) return <p className="soft">{none ?? w.nothingYet}</p>
  return <p className={styles.text}>{text}</p>
}

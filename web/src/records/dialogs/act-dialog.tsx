import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import { refreshRecords } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import { type Behalf, useActingFor } from './acting-for.tsx'

/** The record is another one than what was looked at: nothing was stored, and there is only the way back to it. */
export function ChangedMeanwhile({
  title,
  text,
  onClose,
}: {
  title: string
  text?: string | undefined
  onClose: () => void
}) {
  const { problems: w } = useWords()
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      <Refused>{text ?? w.changedMeanwhile}</Refused>
      <DialogButtons>
        <Button look="main" autoFocus onPress={onClose}>
          {w.lookAgain}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

interface Props<T> {
  title: string
  about: ReactNode
  /** Of the record, as it is on the screen. */
  revision: number
  /** Whether there is enough to send; if not, the fields say what is missing. */
  isComplete?: () => boolean
  send: (revision: number, on_behalf_of: number | undefined) => Promise<T>
  onDone: (answer: T) => void
  onClose: () => void
  /** Who cancels gives up what they typed; by another way out, such as a conflict, it stays. */
  onCancel?: () => void
  /** What is said where the record changed meanwhile. */
  changed?: string
  /** For whom it can be done; missing: for nobody but oneself. */
  behalf?: Behalf
  submit: string
  look?: 'main' | 'danger'
  size?: 's' | 'm'
  /** The fields. `problem` says what is wrong with them. */
  children: (problem: Problem | null) => ReactNode
}

/** A change of a record that is not signed: its fields, a refusal beside the button, and what to do when somebody else was quicker. */
export function ActDialog<T>({
  title,
  about,
  revision,
  isComplete = () => true,
  send,
  onDone,
  onClose,
  onCancel = onClose,
  changed,
  behalf,
  submit,
  look = 'main',
  size = 's',
  children,
}: Props<T>) {
  const { common } = useWords()
  const client = useQueryClient()
  // The record may be read anew beside the dialog; what is changed is what was there when it opened.
  const [seen] = useState(revision)
  const acting = useActingFor(behalf)
  const { mutate, isPending, error } = useMutation<T, Problem, number>({
    mutationFn: sent => send(sent, acting.id),
    onSuccess: answer => {
      onDone(answer)
      onClose()
      return refreshRecords(client)
    },
    onError: ({ status }) => {
      if (status === 409) void refreshRecords(client)
    },
  })
  const save = () => {
    if (!isPending && isComplete()) mutate(seen)
  }
  if (error?.status === 409 && seen !== revision)
    return <ChangedMeanwhile title={title} text={changed} onClose={onClose} />
  return (
    <Dialog isOpen onClose={onClose} title={title} about={about} size={size}>
      <Form onSend={save}>
        {error && error.issues.length === 0 && <Refused error={error} />}
        {acting.field}
        {children(error)}
        <DialogButtons>
          <Button onPress={onCancel}>{common.cancel}</Button>
          <Button type="submit" look={look} isPending={isPending}>
            {submit}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

export interface SubjectOf {
  /** A record that has a number is known by it. */
  number?: string
  title: string
}

/** In the head of a dialog: which record it is about. */
export function Subject({ of: { number, title }, version }: { of: SubjectOf; version?: string | undefined }) {
  const { document: w } = useWords()
  return (
    <>
      {number && <b>{number}</b>} {title}
      {version !== undefined && ` · ${w.versionOf(version)}`}
    </>
  )
}

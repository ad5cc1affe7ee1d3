import { useState } from 'react'
import { useMe } from '../../features/session/session.ts'
import { Field } from '../../ui/field.tsx'
import { nameOf, type PersonShape } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { ActDialog, Subject } from '../dialogs/act-dialog.tsx'
import { PersonField } from '../fields/person-field.tsx'
import type { Case, Sent } from './case.ts'
import { useCaseWords } from './words.ts'

interface Props {
  of: Case
  assigned: PersonShape | null
  send: (assigned_to: number, sent: Sent) => Promise<{ assigned_to: PersonShape | null }>
  onClose: () => void
}

/** Who works on it from now on. */
export function AssignDialog({ of: record, assigned, send, onClose }: Props) {
  const w = useCaseWords()
  const acts = useActWords()
  const { kind, id, number, title, revision, needsReason } = record
  const [person, setPerson] = useState<number>()
  const [reason, setReason] = useDraft(`assign ${useMe().id} ${kind} ${id}`)
  const [isTried, setTried] = useState(false)
  const lacksReason = needsReason && reason.trim() === ''
  return (
    <ActDialog
      title={w.assignTitle}
      about={<Subject of={{ number, title }} />}
      revision={revision}
      isComplete={() => {
        setTried(true)
        return person !== undefined && !lacksReason
      }}
      send={sent => send(person!, { revision: sent, ...(reason.trim() && { change_reason: reason.trim() }) })}
      onDone={({ assigned_to }) => {
        setReason('')
        if (assigned_to) announce(w.assignedTo(number, nameOf(assigned_to)))
      }}
      onClose={onClose}
      submit={w.assign}
    >
      {problem => (
        <>
          {assigned && <p>{w.assignedNow(nameOf(assigned))}</p>}
          <PersonField
            label={w.assignee}
            isRequired
            onChange={setPerson}
            wrong={problem?.of('assigned_to') ?? (isTried && person === undefined ? acts.missing.person : undefined)}
          />
          <Field
            label={acts.changeReason}
            isRequired={needsReason}
            rows={2}
            value={reason}
            onChange={setReason}
            wrong={problem?.of('change_reason') ?? (isTried && lacksReason ? acts.missing.reason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}

import { type ReactNode, useState } from 'react'
import { ActDialog } from '../../records/act-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useCompanyWords } from './words.ts'

interface Props {
  title: string
  about: ReactNode
  hint: string
  submit: string
  done: string
  send: (reason: { change_reason?: string }) => Promise<unknown>
  onClose: () => void
}

/** What will happen, and why it is done. Of two who do it at the same moment, one is refused in the words of the service. */
export function DecisionDialog({ title, about, hint, submit, done, send, onClose }: Props) {
  const w = useCompanyWords()
  const [reason, setReason] = useState('')
  return (
    <ActDialog
      title={title}
      about={about}
      revision={0}
      submit={submit}
      send={() => send(reason.trim() === '' ? {} : { change_reason: reason.trim() })}
      onDone={() => announce(done)}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{hint}</p>
          <Field
            label={w.reason}
            hint={w.reasonHint}
            rows={2}
            value={reason}
            onChange={setReason}
            wrong={problem?.of('change_reason')}
          />
        </>
      )}
    </ActDialog>
  )
}

import { type ReactNode, useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useLanguage } from '../../words/index.ts'
import { ActDialog } from './act-dialog.tsx'
import { useStored } from './change-proposed.tsx'

const en = {
  reason: 'Reason',
  reasonHint: 'Kept in the audit trail.',
  reasonMissing: 'Enter a reason.',
  changed: 'Somebody changed this while you had it open, so nothing was stored. Look at the current state first.',
}
const de: typeof en = {
  reason: 'Begründung',
  reasonHint: 'Steht im Audit Trail.',
  reasonMissing: 'Geben Sie eine Begründung ein.',
  changed:
    'Jemand hat dies geändert, während Sie es offen hatten. Es wurde nichts gespeichert. Sehen Sie sich zuerst den jetzigen Stand an.',
}
const catalogues = { en, de }

interface ReasonProps<T> {
  title: string
  about: ReactNode
  revision: number
  submit: string
  look?: 'main' | 'danger'
  size?: 's' | 'm'
  isRequired?: boolean
  /** False for a change that keeps none. */
  hasReason?: boolean
  /** What the field is called, where it is something else than a reason. */
  label?: string
  /** Its name in the request. */
  field?: string
  /** What is said where the record changed meanwhile. */
  changed?: string
  /** Whether the fields beside the reason are complete. */
  isComplete?: () => boolean
  send: (revision: number, reason: string | undefined) => Promise<T>
  done: string | ((answer: T) => string)
  onDone?: (answer: T) => void
  onClose: () => void
  /** What happens, and fields beside the reason. */
  children?: ReactNode | ((problem: Problem | null) => ReactNode)
}

/** A change with its reason: what will happen stands above it, and a refusal in the service's words. */
export function ReasonDialog<T>({
  isRequired = false,
  hasReason = true,
  label,
  field = 'change_reason',
  isComplete = () => true,
  children,
  ...props
}: ReasonProps<T>) {
  const w = catalogues[useLanguage()]
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const isMissing = isRequired && reason.trim() === ''
  const { saidAsProposal } = useStored()
  const { send, done, onDone, changed, ...dialog } = props
  return (
    <ActDialog
      {...dialog}
      changed={changed ?? w.changed}
      isComplete={() => {
        setTried(true)
        return isComplete() && !isMissing
      }}
      send={revision => send(revision, reason.trim() || undefined)}
      onDone={answer => {
        if (!saidAsProposal(answer)) announce(typeof done === 'function' ? done(answer) : done)
        onDone?.(answer)
      }}
    >
      {problem => (
        <>
          {typeof children === 'function' ? (
            children(problem)
          ) : typeof children === 'string' ? (
            <p>{children}</p>
          ) : (
            children
          )}
          {hasReason && (
            <Field
              label={label ?? w.reason}
              hint={w.reasonHint}
              rows={2}
              maxLength={2000}
              isRequired={isRequired}
              value={reason}
              onChange={setReason}
              wrong={problem?.of(field) ?? (isTried && isMissing ? w.reasonMissing : undefined)}
            />
          )}
        </>
      )}
    </ActDialog>
  )
}

export const withReason = (reason: string | undefined) => (reason === undefined ? {} : { change_reason: reason })

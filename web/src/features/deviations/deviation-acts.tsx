import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { behalfOf } from '../../records/dialogs/acting-for.tsx'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type Deviation, isSigned, save, youOf } from './deviation.ts'
import { useDeviationWords } from './words.ts'

export type Act = 'investigate' | 'submit' | 'send_back' | 'close' | 'cancel' | 'reopen'

const targets = {
  investigate: 'under_investigation',
  submit: 'pending_approval',
  send_back: 'under_investigation',
  close: 'closed',
  cancel: 'cancelled',
  reopen: 'under_investigation',
} as const satisfies Record<Act, Deviation['status']>

interface Props {
  of: Deviation
  act: Act
  onClose: () => void
}

/** Moves it to another state; the end of a major or critical one is signed. */
export function DeviationActDialog({ of: deviation, act, onClose }: Props) {
  return act === 'close' || act === 'cancel' ? (
    <EndDialog of={deviation} act={act} onClose={onClose} />
  ) : (
    <MoveDialog of={deviation} act={act} onClose={onClose} />
  )
}

function useDone() {
  const { recordStates, states, sign } = useWords()
  const names: Record<string, string> = { ...states, ...recordStates }
  return ({ number, status }: { number: string; status: string }) =>
    announce(`${number}: ${sign.nowIs(names[status]!)}`)
}

function MoveDialog({ of: deviation, act, onClose }: Props) {
  const w = useDeviationWords()
  const acts = useActWords()
  const { id, number, title, revision, status } = deviation
  const { action, text } = w.acts[act]
  const done = useDone()
  const [reason, setReason] = useDraft(`${act} ${useMe().id} deviation ${id}`)
  // Of an open one nothing is changed yet that would need a reason.
  const isRequired = status !== 'open'
  return (
    <ActDialog
      title={action}
      about={<Subject of={{ number, title }} />}
      revision={revision}
      behalf={behalfOf(youOf(deviation), act)}
      send={(sent, on_behalf_of) =>
        save(
          deviation,
          { status: targets[act] },
          {
            revision: sent,
            ...(reason.trim() && { change_reason: reason.trim() }),
            ...(on_behalf_of !== undefined && { on_behalf_of }),
          },
        )
      }
      onDone={answer => {
        setReason('')
        done(answer)
      }}
      onClose={onClose}
      submit={action}
    >
      {problem => {
        // Of a field that is not on this form, such as one of the tenant's own.
        const elsewhere = problem?.issues.filter(({ loc }) => loc.at(-1) !== 'change_reason') ?? []
        return (
          <>
            {elsewhere.length > 0 && (
              <Refused>{elsewhere.map(({ loc, msg }) => `${loc.at(-1)}: ${msg}`).join(' ')}</Refused>
            )}
            <p>{text}</p>
            <Field
              label={acts.changeReason}
              rows={3}
              isRequired={isRequired}
              autoFocus
              value={reason}
              onChange={setReason}
              wrong={problem?.of('change_reason')}
            />
          </>
        )
      }}
    </ActDialog>
  )
}

function EndDialog({ of: deviation, act, onClose }: Props & { act: 'close' | 'cancel' }) {
  const w = useDeviationWords()
  const acts = useActWords()
  const { action, text } = w.acts[act]
  const done = useDone()
  return (
    <SignDialog<'PUT /api/deviations/{id}'>
      of={deviation}
      page={`/deviations/${deviation.id}`}
      title={action}
      meaning={isSigned(deviation) ? w.meanings[act] : undefined}
      draft={act}
      remark={{ label: acts.reason, isRequired: true }}
      act={reason => ({
        name: 'PUT /api/deviations/{id}',
        path: { id: deviation.id },
        body: { status: targets[act], change_reason: reason ?? '' },
      })}
      submit={isSigned(deviation) ? w.signAnd[act] : action}
      look={act === 'cancel' ? 'danger' : 'main'}
      note={act === 'cancel' && text}
      onDone={done}
      onClose={onClose}
    />
  )
}

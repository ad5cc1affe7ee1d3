import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { behalfOf } from '../../records/dialogs/acting-for.tsx'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type Capa, caseOf, save, youOf } from './capa.ts'
import { useCapaWords } from './words.ts'

const targets = {
  start: 'in_progress',
  verify: 'pending_effectiveness',
  not_effective: 'in_progress',
  cancel: 'cancelled',
} as const satisfies Record<string, Capa['status']>

type Move = keyof typeof targets
type Decision = 'approve_draft' | 'reject_draft' | 'approve_plan'
export type Act = Move | Decision | 'close'

interface Props {
  of: Capa
  act: Act
  onClose: () => void
}

/** Moves it to another state; its closure is signed. */
export function CapaActDialog({ of: capa, act, onClose }: Props) {
  if (act === 'close') return <CloseDialog of={capa} onClose={onClose} />
  return <MoveDialog of={capa} act={act} onClose={onClose} />
}

function useDone() {
  const { recordStates, states, sign } = useWords()
  const names: Record<string, string> = { ...states, ...recordStates }
  return ({ number, status }: { number: string; status: string }) =>
    announce(`${number}: ${sign.nowIs(names[status]!)}`)
}

function send(
  capa: Capa,
  act: Exclude<Act, 'close'>,
  { revision, on_behalf_of }: { revision: number; on_behalf_of: number | undefined },
  text: string,
) {
  const path = { id: capa.id }
  const comment = text.trim()
  switch (act) {
    case 'approve_draft':
      return call('POST /api/capa/{id}/approve-draft', { path, body: { revision, ...(comment && { comment }) } })
    case 'reject_draft':
      return call('POST /api/capa/{id}/reject-draft', { path, body: { revision, comment } })
    case 'approve_plan':
      return call('POST /api/capa/{id}/approve-plan', { path, body: { revision, ...(comment && { comment }) } })
    default:
      return save(
        capa,
        { status: targets[act] },
        {
          revision,
          ...(comment && { change_reason: comment }),
          ...(on_behalf_of !== undefined && { on_behalf_of }),
        },
      )
  }
}

function MoveDialog({ of: capa, act, onClose }: Props & { act: Exclude<Act, 'close'> }) {
  const w = useCapaWords()
  const acts = useActWords()
  const { id, number, title, revision } = capa
  const { action, text } = w.acts[act]
  const done = useDone()
  const [remark, setRemark] = useDraft(`${act} ${useMe().id} capa ${id}`)
  const [isTried, setTried] = useState(false)
  const isApproval = act === 'approve_draft' || act === 'approve_plan'
  const isRequired = !isApproval && (act !== 'start' || caseOf(capa).needsReason)
  return (
    <ActDialog
      title={action}
      about={<Subject of={{ number, title }} />}
      revision={revision}
      isComplete={() => {
        setTried(true)
        return !isRequired || remark.trim() !== ''
      }}
      behalf={behalfOf(youOf(capa), act)}
      send={(revision, on_behalf_of) => send(capa, act, { revision, on_behalf_of }, remark)}
      onDone={answer => {
        setRemark('')
        done(answer)
      }}
      onClose={onClose}
      submit={action}
      look={act === 'cancel' || act === 'reject_draft' ? 'danger' : 'main'}
    >
      {problem => (
        <>
          <p>{text}</p>
          <Field
            label={isApproval ? acts.remark : acts.reason}
            rows={3}
            isRequired={isRequired}
            autoFocus
            value={remark}
            onChange={setRemark}
            wrong={
              problem?.of('comment') ??
              problem?.of('change_reason') ??
              (isTried && isRequired && !remark.trim() ? acts.missing.reason : undefined)
            }
          />
        </>
      )}
    </ActDialog>
  )
}

function CloseDialog({ of: capa, onClose }: Omit<Props, 'act'>) {
  const w = useCapaWords()
  const acts = useActWords()
  const done = useDone()
  return (
    <SignDialog<'PUT /api/capa/{id}'>
      of={capa}
      page={`/capa/${capa.id}`}
      title={w.acts.close.action}
      meaning={w.meanings.close}
      draft="close capa"
      remark={{ label: acts.reason, isRequired: true }}
      act={reason => ({
        name: 'PUT /api/capa/{id}',
        path: { id: capa.id },
        body: { status: 'closed', change_reason: reason ?? '' },
      })}
      submit={w.signAndClose}
      note={w.acts.close.text}
      onDone={done}
      onClose={onClose}
    />
  )
}

import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../../api/client.ts'
import { upload } from '../../api/upload.ts'
import { attachmentsOf } from '../../records/case/attachments.tsx'
import { useCaseWords } from '../../records/case/words.ts'
import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { behalfOf } from '../../records/dialogs/acting-for.tsx'
import { FileChoice, useFileFault } from '../../records/fields/file-choice.tsx'
import { PersonField } from '../../records/fields/person-field.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Filter } from '../../ui/filter.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useMe } from '../session/session.ts'
import { type Action, type Capa, caseOf, youOf, youOfAction } from './capa.ts'
import { useCapaWords } from './words.ts'

type Named = 'complete' | 'edit' | 'begin' | 'reopen' | 'cancel' | 'remove'
export type ActionAct = { name: 'add' } | { name: Named; action: Action }

interface Props {
  of: Capa
  act: ActionAct
  onClose: () => void
}

export function ActionDialog({ of: capa, act, onClose }: Props) {
  if (act.name === 'add') return <PlanDialog of={capa} onClose={onClose} />
  if (act.name === 'edit') return <PlanDialog of={capa} action={act.action} onClose={onClose} />
  if (act.name === 'complete') return <CompleteDialog of={capa} action={act.action} onClose={onClose} />
  return <ReasonDialog of={capa} action={act.action} act={act.name} onClose={onClose} />
}

interface PlanProps {
  of: Capa
  /** Missing: a new one. */
  action?: Action
  onClose: () => void
}

/** What is to be done, by whom and until when. */
function PlanDialog({ of: capa, action, onClose }: PlanProps) {
  const w = useCapaWords()
  const acts = useActWords()
  const cases = useCaseWords()
  const { id, number, title, due_date } = capa
  const { needsReason, revision } = caseOf(capa)
  const { fields, change, forget } = useFormDraft(`action ${action?.id ?? 'new'} ${useMe().id} ${id}`, {
    description: action?.description ?? '',
    due_date: action?.due_date ?? due_date,
    change_reason: '',
  })
  const [person, setPerson] = useState(action?.assigned_to.id)
  const [isTried, setTried] = useState(false)
  const reason = fields.change_reason.trim()
  const lacksReason = needsReason && reason === ''
  const bind = bindingOf(fields, change)
  return (
    <ActDialog<{ description: string }>
      title={action ? w.editAction : w.addAction}
      about={<Subject of={{ number, title }} />}
      size="m"
      revision={action?.revision ?? revision}
      isComplete={() => {
        setTried(true)
        return fields.description.trim() !== '' && person !== undefined && !lacksReason
      }}
      behalf={action ? behalfOf(youOfAction(action), 'update') : behalfOf(youOf(capa), 'add_action')}
      send={(sent, on_behalf_of) => {
        const body = {
          description: fields.description.trim(),
          assigned_to: person!,
          ...(fields.due_date && { due_date: fields.due_date }),
          ...(reason && { change_reason: reason }),
          revision: sent,
          ...(on_behalf_of !== undefined && { on_behalf_of }),
        }
        return action
          ? call('PUT /api/capa/{id}/actions/{action_id}', { path: { id, action_id: action.id }, body })
          : call('POST /api/capa/{id}/actions', { path: { id }, body })
      }}
      onDone={() => {
        forget()
        announce(action ? w.actionSaved : w.actionAdded)
      }}
      onClose={onClose}
      onCancel={() => {
        forget()
        onClose()
      }}
      submit={action ? cases.save : w.addAction}
    >
      {problem => (
        <>
          <Field
            label={w.whatToDo}
            rows={3}
            isRequired
            autoFocus
            {...bind('description')}
            wrong={problem?.of('description') ?? (isTried && !fields.description.trim() ? w.missing.action : undefined)}
          />
          <PersonField
            label={cases.assignee}
            chosen={action?.assigned_to}
            isRequired
            onChange={setPerson}
            wrong={problem?.of('assigned_to') ?? (isTried && person === undefined ? acts.missing.person : undefined)}
          />
          <DayField label={cases.columns.due} {...bind('due_date', problem)} />
          <Field
            label={acts.changeReason}
            isRequired={needsReason}
            {...bind('change_reason')}
            wrong={problem?.of('change_reason') ?? (isTried && lacksReason ? acts.missing.reason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}

interface ActionProps {
  of: Capa
  action: Action
  onClose: () => void
}

/** It is done, and this shows it: a text, files of the CAPA, or a new file. */
function CompleteDialog({ of: capa, action, onClose }: ActionProps) {
  const w = useCapaWords()
  const acts = useActWords()
  const { id, number } = capa
  const { needsReason } = caseOf(capa)
  const { data: attachments } = useQuery(attachmentsOf('capa', id))
  const faultWith = useFileFault()
  const { fields, change, forget } = useFormDraft(`complete ${useMe().id} ${action.id}`, {
    evidence: action.evidence ?? '',
    change_reason: w.completedReason,
    files: (action.attachment_ids ?? []).map(String),
  })
  const [file, setFile] = useState<File>()
  // A file that has arrived is not sent again where the rest was refused.
  const sentFile = useRef<{ file: File; id: number }>(undefined)
  const [isTried, setTried] = useState(false)
  const fault = file && faultWith(file)
  const isShown = fields.evidence.trim() !== '' || fields.files.length > 0 || file !== undefined
  const lacksReason = needsReason && fields.change_reason.trim() === ''
  const attach = async (chosen: File, on_behalf_of: number | undefined) => {
    if (sentFile.current?.file === chosen) return sentFile.current.id
    const body = new FormData()
    body.append('description', action.description.slice(0, 200))
    if (on_behalf_of !== undefined) body.append('on_behalf_of', String(on_behalf_of))
    body.append('file', chosen)
    const { signal } = new AbortController()
    const stored = await upload(
      'POST /api/capa/{id}/attachments',
      { path: { id }, body },
      { signal, onProgress: () => undefined },
    )
    sentFile.current = { file: chosen, id: stored.id }
    return stored.id
  }
  const bind = bindingOf(fields, change)
  return (
    <ActDialog
      title={w.completeTitle}
      about={<Subject of={{ number, title: action.description }} />}
      size="m"
      revision={action.revision}
      isComplete={() => {
        setTried(true)
        return isShown && !lacksReason && fault === undefined
      }}
      behalf={behalfOf(youOfAction(action), 'complete')}
      send={async (revision, on_behalf_of) => {
        const attachment_ids = [...fields.files.map(Number), ...(file ? [await attach(file, on_behalf_of)] : [])]
        return call('PUT /api/capa/{id}/actions/{action_id}', {
          path: { id, action_id: action.id },
          body: {
            status: 'done',
            evidence: fields.evidence.trim() || null,
            attachment_ids,
            revision,
            ...(on_behalf_of !== undefined && { on_behalf_of }),
            ...(fields.change_reason.trim() && { change_reason: fields.change_reason.trim() }),
          },
        })
      }}
      onDone={() => {
        forget()
        announce(w.actionDone)
      }}
      onClose={onClose}
      onCancel={() => {
        forget()
        onClose()
      }}
      submit={w.complete}
    >
      {problem => (
        <>
          <Field
            label={w.evidence}
            hint={w.evidenceHint}
            rows={3}
            autoFocus
            {...bind('evidence')}
            wrong={problem?.of('evidence') ?? (isTried && !isShown ? w.missing.evidence : undefined)}
          />
          {(attachments ?? []).length > 0 && (
            <div>
              <Filter
                label={w.evidenceFiles}
                options={attachments!.map(each => ({ id: String(each.id), name: each.file.name }))}
                {...bind('files')}
              />
            </div>
          )}
          <FileChoice
            file={file}
            onChoose={setFile}
            isDisabled={false}
            wrong={fault ?? problem?.of('file') ?? problem?.of('attachment_ids')}
          />
          <Field
            label={acts.changeReason}
            isRequired={needsReason}
            {...bind('change_reason')}
            wrong={problem?.of('change_reason') ?? (isTried && lacksReason ? acts.missing.reason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}

/** What a person must be allowed to, for each. */
const permittedBy = { begin: 'complete', reopen: 'update', cancel: 'update', remove: 'remove' } as const

const statuses = { begin: 'in_progress', reopen: 'open', cancel: 'cancelled' } as const

/** Everything else that is done with one, which needs no more than its reason. */
function ReasonDialog({ of: capa, action, act, onClose }: ActionProps & { act: keyof typeof statuses | 'remove' }) {
  const w = useCapaWords()
  const acts = useActWords()
  const { id, number } = capa
  const path = { id, action_id: action.id }
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const isRequired = act === 'remove' || caseOf(capa).needsReason
  const { action: name, text, done } = w.actionActs[act]
  return (
    <ActDialog<unknown>
      title={name}
      about={<Subject of={{ number, title: action.description }} />}
      revision={action.revision}
      isComplete={() => {
        setTried(true)
        return !isRequired || reason.trim() !== ''
      }}
      behalf={behalfOf(youOfAction(action), permittedBy[act])}
      send={(revision, on_behalf_of) =>
        act === 'remove'
          ? call('DELETE /api/capa/{id}/actions/{action_id}', {
              path,
              body: { reason: reason.trim(), revision, ...(on_behalf_of !== undefined && { on_behalf_of }) },
            })
          : call('PUT /api/capa/{id}/actions/{action_id}', {
              path,
              body: {
                status: statuses[act],
                revision,
                ...(reason.trim() && { change_reason: reason.trim() }),
                ...(on_behalf_of !== undefined && { on_behalf_of }),
              },
            })
      }
      onDone={() => announce(done)}
      onClose={onClose}
      submit={name}
      look={act === 'remove' || act === 'cancel' ? 'danger' : 'main'}
    >
      {problem => (
        <>
          {text && <p>{text}</p>}
          <Field
            label={acts.reason}
            rows={2}
            isRequired={isRequired}
            autoFocus
            value={reason}
            onChange={setReason}
            wrong={
              problem?.of('reason') ??
              problem?.of('change_reason') ??
              (isTried && isRequired && !reason.trim() ? acts.missing.reason : undefined)
            }
          />
        </>
      )}
    </ActDialog>
  )
}

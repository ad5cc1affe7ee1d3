import { type Answer, call } from '../../api/client.ts'
import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useStateName, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  workflow: Answer<'GET /api/documents/{id}/workflow'>
  transition: string
  onClose: () => void
}

/** A workflow of the tenant's own may have transitions that the pages have no words for: it says what they are called. */
export function useTransitionWords({ ways }: Pick<Props['workflow'], 'ways'>) {
  const w = useActWords()
  return (name: string) => {
    const known = (w.ways as Record<string, (typeof w.ways)['submit']>)[name]
    if (known) return known
    const label = ways.find(({ transition }) => transition === name)?.label ?? name
    return { action: label, title: label, text: '' }
  }
}

/** Takes a transition of the workflow that is not signed. */
export function TransitionDialog({ document, workflow, transition, onClose }: Props) {
  const w = useActWords()
  const { sign } = useWords()
  const stateName = useStateName()
  const { action, title, text } = useTransitionWords(workflow)(transition)
  const [comment, setComment] = useDraft(`${transition} ${useMe().id} ${document.id} ${workflow.version}`)
  return (
    <ActDialog
      title={title}
      about={<Subject of={document} version={workflow.version} />}
      revision={document.revision}
      send={revision =>
        call('POST /api/documents/{id}/transition', {
          path: { id: document.id },
          body: { transition, revision, ...(comment.trim() && { comment: comment.trim() }) },
        })
      }
      onDone={({ number, status, pending_version, warnings }) => {
        setComment('')
        const now = stateName(pending_version?.status ?? status)
        announce(`${number}: ${sign.nowIs(now)}`, warnings[0]?.detail)
      }}
      onClose={onClose}
      submit={action}
      look={transition === 'cancel' ? 'danger' : 'main'}
    >
      {problem => (
        <>
          {text && <p>{text}</p>}
          <Field label={w.remark} rows={3} value={comment} onChange={setComment} wrong={problem?.of('comment')} />
        </>
      )}
    </ActDialog>
  )
}

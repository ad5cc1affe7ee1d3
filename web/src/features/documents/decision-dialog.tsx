import type { Answer } from '../../api/client.ts'
import { useSeries } from '../../app/series.ts'
import { behalfOf } from '../../records/dialogs/acting-for.tsx'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useStateName, useWords } from '../../words/index.ts'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  workflow: Answer<'GET /api/documents/{id}/workflow'>
  decision: 'approve' | 'reject'
  openComments: number
  onDecided: () => void
  onClose: () => void
}

/** Approves or rejects the version under way; an approval is signed where its step asks for it, a rejection never. */
export function DecisionDialog({ document, workflow, decision, openComments, onDecided, onClose }: Props) {
  const { sign: w } = useWords()
  const stateName = useStateName()
  const { settle } = useSeries()
  const page = `/documents/${document.id}`
  const isApproval = decision === 'approve'
  const step = workflow.approvals.find(each => each.status === 'pending')
  const isSigned =
    isApproval &&
    document.workflow?.pending.some(each => each.transition === step?.transition && each.signature_required)
  return (
    <SignDialog
      of={document}
      page={page}
      version={workflow.version}
      title={isSigned ? w.approveTitle : isApproval ? w.approveUnsigned : w.rejectTitle}
      meaning={isSigned ? ((step?.signature_type && w.meanings[step.signature_type]) ?? step?.intent ?? '') : undefined}
      intent={isSigned ? (step?.intent ?? undefined) : undefined}
      draft={decision}
      behalf={behalfOf(workflow.you, decision)}
      remark={{ label: isApproval ? w.comment : w.rejectComment, isRequired: !isApproval }}
      act={comment => ({
        name: 'POST /api/documents/{id}/approve',
        path: { id: document.id },
        body: { decision, ...(comment !== undefined && { comment }) },
      })}
      submit={isSigned ? w.submit : isApproval ? w.submitUnsigned : w.submitReject}
      look={isApproval ? 'main' : 'danger'}
      note={isApproval && openComments > 0 && w.openComments(openComments)}
      onDone={({ number, status }) => {
        settle(page, isSigned ? 'signed' : isApproval ? 'approved' : 'rejected')
        announce((isSigned ? w.done : isApproval ? w.doneUnsigned : w.sentBack)(number), w.nowIs(stateName(status)))
        onDecided()
      }}
      onClose={onClose}
    />
  )
}

import { type Route, route } from '#http'
import { details, download, history, list, readText, update, values, versions } from './actions.ts'
import { approve, transition, withdrawOwnApproval } from './approvals/actions.ts'
import { configureApproval } from './approvals/configure.ts'
import { delegateApproval, endDelegation } from './approvals/delegation.ts'
import { keepingDocuments, preview, previewUnsaved } from './approvals/preview.ts'
import { remindApprovers } from './approvals/remind.ts'
import { workflow } from './approvals/workflow.ts'
import {
  addComment,
  commentDetails,
  comments,
  reopenComment,
  resolveComment,
  updateComment,
} from './comments/actions.ts'
import { listNamed } from './core/queries.ts'
import { downloadEvidence, historicalApprovals } from './historical-approvals.ts'
import { decideReview, reviews } from './periodic-reviews/actions.ts'
import { addVersion, upload } from './upload.ts'

export { awaitingDocuments } from './approvals/awaiting.ts'
export { namedApprovals } from './approvals/hand-over.ts'
export { announceOrphanedApprovals } from './approvals/orphaned.ts'
export { approvalReminders, requestsOfDocuments } from './approvals/reminders.ts'
export { listOrphanedApprovals } from './approvals/waiting.ts'
export type { ControlledCopies } from './core/controlled-copies.ts'
export { trainingNeeded } from './core/gate.ts'
export { hasVersionToRead, versionToRead } from './core/gate-queries.ts'
export { listNamedDocuments, readable } from './core/list-queries.ts'
export { countFileRemoval, isInUse, lockDocument, subjectOf } from './core/queries.ts'
export { readableKinds, sightOf } from './core/rules.ts'
export { Department } from './core/schema.ts'
export type { TrainedOn, TrainedVersion, TrainingGate } from './core/training-gate.ts'
export { findSignable, readableVersionLabels, readSignable, requireReadable } from './core/view.ts'
export { ownership } from './hand-over.ts'
export { approvalsOnPaper } from './historical-approvals.ts'
export {
  addHistoricalApproval,
  addImportedDocument,
  addImportedVersion,
  type ImportedState,
  importedStates,
  settleImportedDocuments,
  stateFor,
} from './imported.ts'
export { type ImportableType, listImportableTypes } from './imported-queries.ts'
export { makeEffectiveOnDay, trainingCompleted } from './lifecycle/effective.ts'
export { reviewReminders } from './periodic-reviews/actions.ts'
export { type RecordedVersion, readRecord, recordParts } from './record.ts'
export { makeNumberedCopy } from './rendition.ts'
export { addDocument, keepFirstFile, requireDepartment } from './upload.ts'

/** The sweep of the file store must keep these files. */
export const documentFiles = { table: 'document_versions', named: listNamed }

export const routes: Route[] = [
  route('POST', '/api/documents/upload', upload, { status: 201, location: '/api/documents/:id' }),
  route('GET', '/api/documents/', list),
  route('GET', '/api/documents/values', values),
  route('GET', '/api/documents/:id', details),
  route('PUT', '/api/documents/:id', update),
  route('GET', '/api/documents/:id/download', download),
  route('GET', '/api/documents/:id/versions', versions),
  route('POST', '/api/documents/:id/versions', addVersion, { status: 201, location: '/api/documents/:id' }),
  route('GET', '/api/documents/:id/versions/:version/text', readText),
  route('GET', '/api/documents/:id/history', history),
  route('GET', '/api/documents/:id/workflow', workflow),
  route('POST', '/api/documents/:id/approve', approve),
  route('POST', '/api/documents/:id/withdraw-approval', withdrawOwnApproval),
  route('POST', '/api/documents/:id/transition', transition),
  route('POST', '/api/documents/:id/periodic-review', decideReview),
  route('GET', '/api/documents/:id/periodic-reviews', reviews),
  route('GET', '/api/documents/:id/historical-approvals', historicalApprovals),
  route('GET', '/api/documents/:id/historical-approvals/:approval_id/evidence', downloadEvidence),
  route('GET', '/api/documents/:id/comments', comments),
  route('POST', '/api/documents/:id/comments', addComment, {
    status: 201,
    location: '/api/documents/:id/comments/:comment_id',
  }),
  route('GET', '/api/documents/:id/comments/:comment_id', commentDetails),
  route('PUT', '/api/documents/:id/comments/:comment_id', updateComment),
  route('POST', '/api/documents/:id/comments/:comment_id/reopen', reopenComment),
  route('POST', '/api/documents/:id/comments/:comment_id/resolve', resolveComment),
  route('POST', '/api/documents/:id/configure-approval', configureApproval),
  route('POST', '/api/documents/:id/remind', remindApprovers),
  route('POST', '/api/documents/:id/delegate', delegateApproval),
  route('POST', '/api/documents/:id/end-delegation', endDelegation),
  route('POST', '/api/workflow-templates/preview', previewUnsaved),
  route('POST', '/api/workflow-templates/:id/preview', preview),
  route('GET', '/api/workflow-templates/:id/documents', keepingDocuments),
]

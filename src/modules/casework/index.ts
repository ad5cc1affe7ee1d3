import { type Route, route } from '#http'
import { attach, attachmentDetails, attachments, downloadAttachment } from './attachments.ts'
import type { CaseAccess } from './base/access.ts'
import { addComment, commentDetails, comments } from './comments.ts'
import { decide, extend, extensions } from './extensions.ts'
import { history } from './history.ts'
import { addLink, documentLinks, linkDetails, links, removeLink } from './links.ts'
import { timeline } from './timeline.ts'

export { actsOnParts } from './acts.ts'
export { caseAsOf, linkedIds } from './as-of.ts'
export { attachmentFiles, attachUploads } from './attachments.ts'
export {
  type CaseAccess,
  type CaseRecord,
  denied,
  lockCase,
  readOnly,
  requireAssignedTo,
  requireReader,
} from './base/access.ts'
export {
  type InvolvingFacts,
  involvingChange,
  listIndependent,
  listInvolved,
  listInvolvements,
  refusedInvolvement,
} from './base/independence.ts'
export { hasWorkedOn, involvementOf } from './base/involvement.ts'
export { type CaseRef, caseKinds } from './base/kinds.ts'
export { type Due, markOverdue, withDay } from './base/overdue.ts'
export { filterReaders, listApprovers, listPermitted, MAX_NOTIFIED, requireAssignable } from './base/people.ts'
export { addHistory, findPerson, recordSubject } from './base/record-queries.ts'
export { requestsOf } from './base/requests.ts'
export { pick, signedRecords } from './base/signed.ts'
export {
  findLaterClosure,
  type PersonRefusals,
  recordTransition,
  requireForOneself,
  requireOtherPerson,
  requirePermissionFor,
  requirePermittedTransition,
  requireReasonFor,
  signTransition,
} from './base/transitions.ts'
export { findWaiting as findWaitingExtension } from './extension-queries.ts'
export { addImportedLink, attachImported } from './imported.ts'
export { findOther as findLinkedRecord, linkIds } from './link-queries.ts'
export { type Relation, relations } from './link-schema.ts'
export { messages as caseMessages, orNobody, reasons as caseReasons } from './messages.ts'
export { attachedBy } from './part-queries.ts'
export { type RecordParts, readRecordParts } from './record.ts'
export { setLinks } from './set-links.ts'

/** The routes that every kind of record has under its own path. */
export function caseRoutes(access: CaseAccess): Route[] {
  const at = `${access.path}/:id`
  const made = (part: string, parameter: string) => ({ status: 201, location: `${at}/${part}/:${parameter}` })
  return [
    route('GET', `${at}/attachments`, attachments(access)),
    route('POST', `${at}/attachments`, attach(access), made('attachments', 'attachment_id')),
    route('GET', `${at}/attachments/:attachment_id`, attachmentDetails(access)),
    route('GET', `${at}/attachments/:attachment_id/download`, downloadAttachment(access)),
    route('GET', `${at}/comments`, comments(access)),
    route('POST', `${at}/comments`, addComment(access), made('comments', 'comment_id')),
    route('GET', `${at}/comments/:comment_id`, commentDetails(access)),
    route('GET', `${at}/links`, links(access)),
    route('POST', `${at}/links`, addLink(access), made('links', 'link_id')),
    route('GET', `${at}/links/:link_id`, linkDetails(access)),
    route('DELETE', `${at}/links/:link_id`, removeLink(access), { status: 204 }),
    route('POST', `${at}/extend`, extend(access)),
    route('GET', `${at}/extensions`, extensions(access)),
    route('POST', `${at}/extensions/:extension_id/decide`, decide(access)),
    route('GET', `${at}/history`, history(access)),
    route('GET', `${at}/timeline`, timeline(access)),
  ]
}

export const routes: Route[] = [route('GET', '/api/documents/:id/links', documentLinks)]

import { type Route, route } from '#http'
import type { CaseAccess } from './access.ts'
import { attach, attachmentDetails, attachments, downloadAttachment } from './attachments.ts'
import { addComment, commentDetails, comments } from './comments.ts'
import { decide, extend, extensions } from './extensions.ts'
import { history } from './history.ts'
import { addLink, documentLinks, linkDetails, links, removeLink } from './links.ts'
import { timeline } from './timeline.ts'

export { type CaseAccess, type CaseRef, filterReadersOf, readOnly, requireReader } from './access.ts'
export { attachedBy, caseAsOf, linkedIds } from './as-of.ts'
export { attachmentFiles } from './attachments.ts'
export { addHistory } from './history.ts'
export { linkIds } from './link-queries.ts'
export { relations } from './link-schema.ts'
export { messages as caseMessages } from './messages.ts'
export { type Due, markOverdue, withDay } from './overdue.ts'
export { awaitsExtension } from './requests.ts'
export { setLinks, type Wanted } from './set-links.ts'
export { recordSubject } from './subject.ts'

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

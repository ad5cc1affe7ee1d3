import { type Route, route } from '#http'
import { dismissMail, list, retry } from './actions.ts'

export { mailPosting } from './post.ts'
export { findRecipient, listMails, type MailTrouble, readTrouble } from './queries.ts'
export { maxRetried, retryMails } from './retry.ts'
export { mailJob } from './send.ts'
export { testMail } from './test-mail.ts'

export const routes: Route[] = [
  route('GET', '/api/mails/', list),
  route('POST', '/api/mails/:id/retry', retry),
  route('POST', '/api/mails/:id/dismiss', dismissMail),
]

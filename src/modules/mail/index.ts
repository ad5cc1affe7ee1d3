export { mailPosting } from './post.ts'
export { listMails, type MailTrouble, readTrouble } from './queries.ts'
export { maxRetried, retryMails } from './retry.ts'
export { mailJob } from './send.ts'

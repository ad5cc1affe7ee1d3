export { mailPosting } from './post.ts'
export { listMails, type MailTrouble, readTrouble } from './queries.ts'
export { most_retried, retryMails } from './retry.ts'
export { mailWork } from './send.ts'

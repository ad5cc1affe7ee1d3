export { type MailItem, mailPosting, type NewMail, type PostMails } from './post.ts'

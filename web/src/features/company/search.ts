import { textOf, textsOf } from '../../app/addresses.ts'

export const jobStatuses = ['queued', 'running', 'completed', 'failed'] as const
export type JobStatus = (typeof jobStatuses)[number]

export interface JobsSearch {
  status?: JobStatus | undefined
  page?: number | undefined
}

const pageOf = (value: unknown) => {
  const page = Number(textOf(value))
  return Number.isSafeInteger(page) && page > 1 ? { page } : {}
}

/** What an address of the list of jobs asks for; what makes no sense in it is left out. */
export function jobsSearch(given: Record<string, unknown>): JobsSearch {
  const status = jobStatuses.find(each => each === textOf(given.status))
  return { ...(status && { status }), ...pageOf(given.page) }
}

export const mailStatuses = ['failed', 'queued', 'dismissed', 'sent', 'suppressed'] as const
export type MailStatus = (typeof mailStatuses)[number]

export interface MessagesSearch {
  /** The failed ones without it. */
  status?: MailStatus[] | undefined
  page?: number | undefined
}

export function messagesSearch(given: Record<string, unknown>): MessagesSearch {
  const chosen = textsOf(given.status)
  const status = mailStatuses.filter(each => chosen.includes(each))
  return { ...(status.length > 0 && { status }), ...pageOf(given.page) }
}

import type { Services } from '#action'
import type { LostWork } from '#modules/accounts'
import type * as queue from '#platform/jobs/queue.ts'

/** Durable work in a queue, such as a message to send. src/app.ts lists them all. */
// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds items of every kind
export type Job<Data = any> = queue.Job<Services, Data> & {
  /** The records that wait for its items. Without it, each tenant is looked at for what the queue has lost. */
  records?: LostWork
}

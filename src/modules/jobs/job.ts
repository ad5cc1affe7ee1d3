import type { Services } from '#action'
import type * as queue from '#platform/jobs/queue.ts'

/** Durable work in a queue, such as a message to send. src/app.ts lists them all. */
// biome-ignore lint/suspicious/noExplicitAny: a list of jobs holds items of every kind
export type Job<Data = any> = queue.Job<Services, Data>

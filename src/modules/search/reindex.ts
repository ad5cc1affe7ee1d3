import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Body, OneOf } from '#kernel/schema.ts'
import { JobAnswer, type JobKind, jobKind, startJob } from '#modules/jobs'
import { enqueue } from '#platform/jobs/queue.ts'
import { extractor_version } from '#platform/text-extraction/index.ts'
import { messages } from './messages.ts'
import { countToRead, listToRead, type WhatToRead, whatToRead } from './text-queries.ts'
import { itemOf } from './text-work.ts'

const queued_at_once = 500
/** After what people upload meanwhile. */
const priority = -1

/** For the command line. What was read before is searched until the new text is in its place. */
export const reindex = command({
  summary: 'Read the files of documents again',
  permission: 'settings.manage',
  input: { body: Body({ what: OneOf(...whatToRead) }) },
  response: JobAnswer,
  async run(context, { body: { what } }) {
    const total = await countToRead(context.tx, what, extractor_version)
    if (total === 0) throw conflict(messages.search_nothing_to_reindex())
    return startJob(context, reindexJob.kind, { input: { what }, total })
  },
})

/** How far it is says how many files are queued; each is read by itself. */
export const reindexJob: JobKind = jobKind<{ what: WhatToRead }, { after: number }>({
  kind: 'search.reindex',
  async step({ tx }, { input: { what }, state: { after = 0 } }) {
    const some = await listToRead(tx, what, extractor_version, { after, limit: queued_at_once })
    const queued = await enqueue(
      tx,
      'texts',
      some.map(item => itemOf(item, priority)),
    )
    return {
      state: { after: some.at(-1)?.version_id ?? after },
      done: queued,
      skipped: some.length - queued,
      isOver: some.length < queued_at_once,
    }
  },
})

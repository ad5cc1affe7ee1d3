import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Body, OneOf } from '#kernel/schema.ts'
import { type Job, JobAnswer, startJob, steppedJob } from '#modules/jobs'
import { enqueue } from '#platform/jobs/queue.ts'
import { extractor_version } from '#platform/text-extraction/index.ts'
import { messages } from './messages.ts'
import { countToRead, listToRead, type WhatToRead, whatToRead } from './text-queries.ts'
import { itemOf } from './text-work.ts'

const queueBatch = 500
/** New uploads come first. */
const priority = -1

/** For the command line. The old text is searched until the new one replaces it. */
export const reindex = command({
  summary: 'Read the files of documents again',
  permission: 'settings.manage',
  input: { body: Body({ what: OneOf(...whatToRead) }) },
  response: JobAnswer,
  async run(context, { body: { what } }) {
    const total = await countToRead(context.tx, what, extractor_version)
    if (total === 0) throw conflict(messages.search_nothing_to_reindex())
    return startJob(context, reindexJob, { input: { what }, total })
  },
})

/** The progress counts queued files; each is then read by a queue item of its own. */
export const reindexJob: Job = steppedJob<{ what: WhatToRead }, { after: number }>({
  name: 'search.reindex',
  async step({ tx }, { input: { what }, state: { after = 0 } }) {
    const some = await listToRead(tx, what, extractor_version, { after, limit: queueBatch })
    const queued = await enqueue(
      tx,
      'texts',
      some.map(item => itemOf(item, priority)),
    )
    return {
      state: { after: some.at(-1)?.version_id ?? after },
      done: queued,
      skipped: some.length - queued,
      isOver: some.length < queueBatch,
    }
  },
})

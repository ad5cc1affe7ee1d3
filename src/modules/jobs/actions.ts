import { query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { countJobs, findJob, jobSorts, listJobs } from './queries.ts'
import { Job, JobFilter } from './schema.ts'

const visibility = 'Everybody sees their own jobs; the permission settings.manage shows all jobs of the tenant.'

export const list = query({
  summary: 'List background jobs',
  description: `The newest first. ${visibility}`,
  permission: 'jobs.read',
  input: { query: JobFilter },
  response: Page(Job),
  async run({ tx, actor }, { query }) {
    const sort = parseSort(query.sort, jobSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      (limit, offset) => listJobs(tx, actor, query, sort, limit, offset),
      () => countJobs(tx, actor, query),
    )
  },
})

export const read = query({
  summary: 'Read the progress of a background job',
  description: visibility,
  permission: 'jobs.read',
  isPolled: true,
  input: { params: IdParams },
  response: Job,
  async run({ tx, actor }, { params: { id } }) {
    const job = await findJob(tx, actor, id)
    if (!job) throw notFound('Job')
    return job
  },
})

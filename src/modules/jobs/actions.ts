import { query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { countJobs, findJob, jobSorts, listJobs } from './queries.ts'
import { Job, JobFilter } from './schema.ts'

const whose = 'What one has asked for oneself, and with the permission settings.manage what anybody of the tenant has.'

export const list = query({
  summary: 'List the work that was asked for and goes on after its answer',
  description: `The newest first. ${whose}`,
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
  summary: 'How far work has come that goes on after its answer',
  description: whose,
  permission: 'jobs.read',
  input: { params: IdParams },
  response: Job,
  async run({ tx, actor }, { params: { id } }) {
    const job = await findJob(tx, actor, id)
    if (!job) throw notFound('Job')
    return job
  },
})

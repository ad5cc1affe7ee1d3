import { type Actor, type PrepareContext, query } from '#action'
import { type MadeFile, orFile } from '#action/file.ts'
import { forbidden, invalid, issueAt, notFound } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { envelope, limits, pageOf, parseSort } from '#kernel/paging.ts'
import { personInWords } from '#kernel/person.ts'
import { headings } from '#kernel/print.ts'
import { todayOf } from '#modules/accounts'
import { momentOf, Replayed } from '#modules/audit'
import type { Tx } from '#platform/db/database.ts'
import { messages, printed } from '../messages.ts'
import { csvFile, pdfFile, recordExport } from './exports.ts'
import { entriesAsOf } from './record-as-of.ts'
import { recordAsCsv, recordOnPaper } from './record-files.ts'
import { countRecordEntries, findTrainee, listRecordEntries, recordSorts } from './record-queries.ts'
import { RecordFilter, RecordParams, TrainingRecord } from './record-schema.ts'

export const maxEntriesOfPdf = 1_000
const entriesAtOnce = 200

/** The permission is checked before the user is looked up, so that others cannot find out which users exist. */
export async function requireTrainee(tx: Tx, actor: Actor, userId: number) {
  if (userId !== actor.userId && !actor.permissions.has('training.read_all'))
    throw forbidden(messages.training_record_permission_missing(), { id: userId, number: 'User' })
  const trainee = await findTrainee(tx, userId)
  if (!trainee) throw notFound('User')
  return trainee
}

const sortOf = ({ sort }: RecordFilter) => parseSort(sort, recordSorts, { field: 'assigned_at', direction: 'desc' })

async function recordFile(context: PrepareContext, userId: number, filter: RecordFilter): Promise<MadeFile> {
  const { read, actor, services } = context
  const sort = sortOf(filter)
  const { trainee, today, total } = await read(async tx => {
    const trainee = await requireTrainee(tx, actor, userId)
    const today = await todayOf({ tx, services })
    return { trainee, today, total: await countRecordEntries(tx, userId, filter, today) }
  })
  async function* parts() {
    for (let offset = 0; offset < total; offset += entriesAtOnce)
      yield await read(tx => listRecordEntries(tx, userId, filter, today, sort, { limit: entriesAtOnce, offset }))
  }
  const name = `Training record ${trainee.username} ${today}`
  const after = { ...filter, username: trainee.username, trainings: total }
  if (filter.format === 'csv') {
    const file = await csvFile(context, name, recordAsCsv(parts()))
    await recordExport(context, userId, { number: trainee.username, after })
    return file
  }
  if (total > maxEntriesOfPdf)
    throw invalidQuery('format', messages.training_record_too_large({ maximum: maxEntriesOfPdf }))
  const entries = []
  for await (const some of parts()) entries.push(...some)
  const person = personInWords(trainee)
  const subject = printed.training_record_subject({
    person,
    role: trainee.role,
    is_active: trainee.is_active,
    total,
  })
  const file = await pdfFile(context, name, {
    title: headings.training_record,
    subject,
    blocks: recordOnPaper(entries),
  })
  await recordExport(context, userId, { number: trainee.username, after })
  return file
}

const invalidQuery = (field: string, message: Message) => invalid(issueAt(['query', field], message))

function isFile({ format, as_of }: RecordFilter): boolean {
  if (format === undefined || format === 'json') return false
  if (as_of !== undefined) throw invalidQuery('format', messages.training_record_past_format())
  return true
}

/** The past record can only be filtered and sorted by fields that never change. */
function requireUnchangingFilter({ status, is_valid, sort }: RecordFilter) {
  const changing = Object.entries({ status, is_valid, sort }).find(
    ([name, value]) => value !== undefined && !(name === 'sort' && /^-?(assigned_at|number)$/.test(String(value))),
  )
  if (changing) throw invalidQuery(changing[0], messages.training_record_past_filter({ field: changing[0] }))
}

export const trainingRecord = query({
  summary: 'Read the training record of a person',
  description:
    'All assignments of a person, with the versions, scores and signatures, and whether they are valid today. The record of another person needs `training.read_all`. JSON has a page of it, CSV and PDF all of it.',
  permission: 'training.read_own',
  input: { params: RecordParams, query: RecordFilter },
  response: orFile(TrainingRecord, 'text/csv', 'application/pdf'),
  prepare: async (context, { params, query }) =>
    isFile(query) ? recordFile(context, params.user_id, query) : undefined,
  async run({ tx, actor, services, prepared }, { params: { user_id }, query }) {
    if (prepared) return prepared
    const { role, is_active, ...user } = await requireTrainee(tx, actor, user_id)
    if (query.as_of !== undefined) {
      requireUnchangingFilter(query)
      const moment = await momentOf({ tx, actor, services }, query.as_of)
      const filter = { ...query, assigned_by_then: moment.at }
      const entries = await listRecordEntries(tx, user_id, filter, moment.today, sortOf(query), limits(query))
      const total = await countRecordEntries(tx, user_id, filter, moment.today)
      const { items, told } = await entriesAsOf(tx, entries, moment)
      const reconstruction = new Replayed(told).asOf(moment.at, ['role', 'is_active'])
      return { user, ...envelope(items, total, query), reconstruction }
    }
    const today = await todayOf({ tx, services })
    const page = await pageOf(
      query,
      (limit, offset) => listRecordEntries(tx, user_id, query, today, sortOf(query), { limit, offset }),
      () => countRecordEntries(tx, user_id, query, today),
    )
    return { user, role, is_active, ...page }
  },
})

import { type Actor, type PrepareContext, query } from '#action'
import { type MadeFile, orFile } from '#action/file.ts'
import { forbidden, invalid, notFound } from '#kernel/errors.ts'
import { envelope, limits, parseSort } from '#kernel/paging.ts'
import { todayOf } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { csvFile, pdfFile, personInWords, recordExport } from './exports.ts'
import { recordAsCsv, recordOnPaper } from './record-files.ts'
import { countRecordEntries, findTrainee, listRecordEntries, recordSorts } from './record-queries.ts'
import { RecordFilter, RecordParams, TrainingRecord } from './record-schema.ts'

const most_on_paper = 1_000
const entries_at_once = 200

/** Of oneself, or of anybody where everybody's training may be read. Whether somebody is there is told to those alone. */
async function requireTrainee(tx: Tx, actor: Actor, userId: number) {
  if (userId !== actor.userId && !actor.permissions.has('training.read_all')) {
    const detail = 'The training record of another person needs the permission training.read_all'
    throw forbidden(detail).remember({
      event: 'access.denied',
      outcome: 'denied',
      reason: `${detail} (user ${userId})`,
    })
  }
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
    return { trainee, today, ...(await countRecordEntries(tx, userId, filter, today)) }
  })
  async function* parts() {
    for (let offset = 0; offset < total; offset += entries_at_once)
      yield await read(tx => listRecordEntries(tx, userId, filter, today, sort, { limit: entries_at_once, offset }))
  }
  const name = `Training record ${trainee.username} ${today}`
  const after = { ...filter, username: trainee.username, trainings: total }
  if (filter.format === 'csv') {
    const file = await csvFile(context, name, recordAsCsv(parts()))
    await recordExport(context, userId, { number: trainee.username, after })
    return file
  }
  if (total > most_on_paper)
    throw invalid({
      loc: ['query', 'format'],
      msg: `is not pdf of more than ${most_on_paper} trainings: choose fewer, or take csv`,
      type: 'too_many',
    })
  const entries = []
  for await (const some of parts()) entries.push(...some)
  const person = personInWords(trainee)
  const subject = `${person}, ${trainee.role}${trainee.is_active ? '' : ', not active'}: ${total} trainings`
  const file = await pdfFile(context, name, { title: 'Training record', subject, blocks: recordOnPaper(entries) })
  await recordExport(context, userId, { number: trainee.username, after })
  return file
}

export const trainingRecord = query({
  summary: 'Read the training record of a person',
  description:
    'Everything that was ever assigned to them, with what they read, scored and signed, and what it is worth today. One reads one’s own; that of others needs `training.read_all`. As JSON a page of it, as CSV or PDF all.',
  permission: 'training.read_own',
  input: { params: RecordParams, query: RecordFilter },
  response: orFile(TrainingRecord, 'text/csv', 'application/pdf'),
  prepare: async (context, { params, query }) =>
    query.format === undefined || query.format === 'json' ? undefined : recordFile(context, params.user_id, query),
  async run({ tx, actor, services, prepared }, { params: { user_id }, query }) {
    if (prepared) return prepared
    const { role, is_active, ...user } = await requireTrainee(tx, actor, user_id)
    const today = await todayOf({ tx, services })
    const items = await listRecordEntries(tx, user_id, query, today, sortOf(query), limits(query))
    const { total } = await countRecordEntries(tx, user_id, query, today)
    return { user, role, is_active, ...envelope(items, total, query) }
  },
})

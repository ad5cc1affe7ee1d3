import { query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { readSettings, todayOf } from '#modules/accounts'
import { findLinkedRecord } from '#modules/casework'
import { readableVersionLabels } from '#modules/documents'
import { listHoldsOn } from './hold-queries.ts'
import { findTypeRetention, listCandidatesOf, listDisposedOf } from './queries.ts'
import { DocumentRetention, RecordHolds } from './schema.ts'

export const documentRetention = query({
  summary: 'How long the versions of a document are kept',
  description: 'Their retention days, the legal holds on the document, and what was disposed of.',
  permission: 'documents.read',
  input: { params: IdParams },
  response: DocumentRetention,
  async run(context, { params: { id } }) {
    const { tx, actor } = context
    const readable = await readableVersionLabels(tx, actor, id)
    const today = await todayOf(context)
    const disposed = await listDisposedOf(tx, id)
    const found = await listCandidatesOf(tx, (await readSettings(tx)).time_zone, id)
    return {
      retention_years: await findTypeRetention(tx, id),
      holds: await listHoldsOn(tx, 'document', id),
      versions: found
        .filter(({ version }) => readable.includes(version))
        .map(({ version, status_kind, ended_on, retention_until }) => {
          const disposal = disposed.find(each => each.version === version)
          return {
            version,
            ended_on: status_kind === 'final' ? ended_on : null,
            retention_until,
            is_past: retention_until !== null && retention_until < today,
            disposal: disposal ? { id: disposal.id, number: disposal.number, disposed_at: disposal.disposed_at } : null,
          }
        }),
    }
  },
})

const holdsOfCase = (kind: 'deviation' | 'capa', name: string) =>
  query({
    summary: `List the legal holds on a ${name}`,
    permission: kind === 'deviation' ? 'deviations.read' : 'capa.read',
    input: { params: IdParams },
    response: RecordHolds,
    async run({ tx, actor }, { params: { id } }) {
      if (!(await findLinkedRecord(tx, actor, { kind, id })))
        throw notFound(kind === 'deviation' ? 'Deviation' : 'CAPA')
      return { holds: await listHoldsOn(tx, kind, id) }
    },
  })

export const deviationHolds = holdsOfCase('deviation', 'deviation')
export const capaHolds = holdsOfCase('capa', 'CAPA')

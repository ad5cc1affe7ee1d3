import { query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { caseKinds, findLinkedRecord } from '#modules/casework'
import { readableVersionLabels } from '#modules/documents'
import { listHoldsOn } from './hold-queries.ts'
import {
  type CaseRecordKind,
  findTypeRetention,
  listCandidates,
  listDisposalsOfCase,
  listDisposedOf,
  listVersionsOf,
} from './queries.ts'
import { retentionRule } from './records.ts'
import { CaseRetention, DocumentRetention } from './schema.ts'

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
    const found = await listVersionsOf(tx, await retentionRule(tx), id)
    return {
      retention_years: await findTypeRetention(tx, id),
      holds: await listHoldsOn(tx, 'document', id),
      versions: found
        .filter(({ version }) => readable.includes(version!))
        .map(({ version, is_over, ended_on, retention_until }) => {
          const disposal = disposed.find(each => each.version === version)
          return {
            version: version!,
            ended_on: is_over ? ended_on : null,
            retention_until,
            is_past: retention_until !== null && retention_until < today,
            disposal: disposal ? { id: disposal.id, number: disposal.number, disposed_at: disposal.disposed_at } : null,
          }
        }),
    }
  },
})

const retentionOfCase = (kind: CaseRecordKind) =>
  query({
    summary: `How long the files of a ${caseKinds[kind].noun} are kept`,
    description:
      'The retention day, the legal holds, and what disposed of attached files. A disposal destroys those alone: the record with its texts, signatures and audit trail stays.',
    permission: caseKinds[kind].read,
    input: { params: IdParams },
    response: CaseRetention,
    async run(context, { params: { id } }) {
      const { tx, actor } = context
      if (!(await findLinkedRecord(tx, actor, { kind, id }))) throw notFound(caseKinds[kind].name)
      const ids = { version_ids: [], deviation_ids: [], capa_ids: [], [`${kind}_ids`]: [id] }
      const [found] = await listCandidates(tx, await retentionRule(tx), ids)
      const { retention_years, ended_on, retention_until, files_total } = found!
      return {
        ...{ retention_years, ended_on, retention_until, files_total },
        is_past: retention_until !== null && retention_until < (await todayOf(context)),
        holds: await listHoldsOn(tx, kind, id),
        disposals: await listDisposalsOfCase(tx, kind, id),
      }
    },
  })

export const deviationRetention = retentionOfCase('deviation')
export const capaRetention = retentionOfCase('capa')

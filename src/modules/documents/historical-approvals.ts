// Approvals of before a migration: history, and no signatures.
import { Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import { FileContent } from '#action/file.ts'
import { notFound } from '#kernel/errors.ts'
import { momentInUtc } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { dayOf, headings } from '#kernel/print.ts'
import { IdParams } from '#kernel/schema.ts'
import type { Block } from '#platform/pdf/rendition.ts'
import { HistoricalApproval, HistoricalApprovalParams } from './core/schema.ts'
import { readableVersions } from './core/view.ts'
import { findEvidenceFile, listHistoricalApprovals } from './imported-queries.ts'
import { printed } from './messages.ts'

export const historicalApprovals = query({
  summary: 'List the approvals of a document before its migration',
  description:
    'Who approved its versions before, as recorded in the source, with the migration and its acceptance. They are history: `GET /api/signatures/` has none of them.',
  permission: 'documents.read',
  input: { params: IdParams },
  response: Type.Array(HistoricalApproval),
  async run({ tx, actor }, { params }) {
    const readable = new Set((await readableVersions(tx, actor, params.id)).map(({ id }) => id))
    const approvals = await listHistoricalApprovals(tx, { document_id: params.id })
    return approvals.filter(({ version_id }) => readable.has(version_id)).map(({ version_id: _, ...shown }) => shown)
  },
})

async function evidenceOf({ tx, actor }: Pick<ActionContext<unknown>, 'tx' | 'actor'>, id: number, approvalId: number) {
  const versions = await readableVersions(tx, actor, id)
  const found = await findEvidenceFile(tx, id, approvalId)
  const version = versions.find(each => each.id === found?.version_id)
  // The batch keeps the files that no record takes for its own.
  if (!found?.file_key || !version) throw notFound('File')
  const { file_key, name, content_type, file_size, sha256, number } = found
  return {
    file: { key: file_key, name, content_type, size_bytes: file_size, sha256 },
    entry: {
      event: 'document.downloaded',
      id,
      number,
      after: { historical_approval: approvalId, version: version.version, name, evidence_sha256: sha256 },
    },
  } as const
}

export const downloadEvidence = command({
  summary: 'Download the evidence of an approval before the migration',
  description: 'A scan of the signed page, as the migration brought it in.',
  permission: 'documents.download',
  input: { params: HistoricalApprovalParams },
  response: FileContent,
  async prepare(context, { params }) {
    const { file, entry } = await context.read(tx => evidenceOf({ ...context, tx }, params.id, params.approval_id))
    await context.verifyBeforeSend(file, entry)
  },
  async run(context, { params }) {
    const { file, entry } = await evidenceOf(context, params.id, params.approval_id)
    context.record(entry.event, entry.id, entry)
    return file
  },
})

/** A section of its own on signed copies and in dossiers, which says by whose acceptance the approvals are here. */
export function approvalsOnPaper(approvals: readonly HistoricalApproval[]): Block[] {
  return [...Map.groupBy(approvals, ({ batch }) => batch.id).values()].flatMap((imported): Block[] => {
    const { number, source, accepted_at, accepted_by } = imported[0]!.batch
    return [
      { kind: 'heading', text: printed.document_historical_approvals({ source }) },
      {
        kind: 'text',
        text: printed.document_historical_note({
          ...{ number, source, person: personInWords(accepted_by), moment: momentInUtcText(accepted_at) },
        }),
      },
      {
        kind: 'table',
        columns: [
          { title: headings.version, share: 1.5 },
          { title: headings.person, share: 3 },
          { title: headings.meaning, share: 2.5 },
          { title: headings.approved, share: 2 },
          { title: headings.evidence, share: 4 },
        ],
        rows: imported.map(({ version, person_name, person_role, meaning, approved_on, evidence, evidence_file }) => [
          version,
          person_role === null ? person_name : `${person_name}, ${person_role}`,
          meaning,
          approved_on === null ? '-' : dayOf(approved_on),
          [evidence, evidence_file && `${evidence_file.name} (SHA-256 ${evidence_file.sha256})`]
            .filter(Boolean)
            .join('; ') || '-',
        ]),
      },
    ]
  })
}

const momentInUtcText = (text: string) => momentInUtc(new Date(text))

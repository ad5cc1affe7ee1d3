import { forbidden } from '#kernel/errors.ts'
import { dayOf, headings, labels, stateOf, together } from '#kernel/print.ts'
import type { RecordScope } from '#modules/audit'
import { listRecordedCopies, markOfCopies } from '#modules/controlled-copies'
import { approvalsOnPaper, type RecordedVersion, readRecord, readSignable, recordParts } from '#modules/documents'
import { listRecords, type Now, readVersionNow } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import { by, file, importedFacts, moment, plain, removalOf, words } from '../blocks.ts'
import { messages, printed } from '../messages.ts'
import type { Kind, RecordedSignature, Subject } from '../subject.ts'

type Row = Record<string, unknown>

export const documents: Kind<{ id: number }> = {
  reading: ['document.downloaded', 'document.viewed', 'document.dossier_exported', 'access.denied'],
  async require({ tx, actor }, { id }) {
    if (!actor.permissions.has('documents.download')) throw forbidden(messages.dossier_permission_required())
    const { document } = await readRecord(tx, actor, id)
    return { id, number: document.number, mark: await markOf(tx, document) }
  },
  read: ({ read, actor }, { id }) =>
    read(async (tx): Promise<Subject> => {
      const { document, versions } = await readRecord(tx, actor, id)
      const parts: Record<string, object[]> = {}
      for (const [name, list] of Object.entries(recordParts)) parts[name] = await list(tx, id)
      const copies = await listRecordedCopies(tx, id)
      parts.controlled_copies = copies
      const { number, title, status, revision, updated_at } = document
      return {
        ...{ type: 'document', id, number, title, status: stateOf(status), revision },
        mark: await markOf(tx, document),
        changed_at: updated_at,
        record: { document, versions: versions.map(({ owner_id, ...version }) => version) },
        parts,
        facts: factsOf(document, versions),
        pages: altered => [
          ...versions.flatMap(version => pagesOf(version, altered.has(version.file_key))),
          ...approvalsOnPaper(parts.historical_approvals as Parameters<typeof approvalsOnPaper>[0]),
          ...historyOf(parts.history as Row[]),
          ...copiesOf(copies),
        ],
        files: versions.map(({ id, version, file_key, file_name, file_size, sha256 }) => ({
          ...{
            folder: version,
            of: { version },
            row: { version_id: id },
            key: file_key,
            name: file_name,
            size: file_size,
            sha256,
          },
        })),
        signatures: await signaturesOf(tx, id, versions),
        scope: { resources: scopeOf(id, copies), refused: [{ id, number }] },
      }
    }),
}

/** Copies are issued, recalled and reconciled without a new revision of the document. */
const markOf = async (tx: Tx, { id, revision }: { id: number; revision: number }) =>
  `${revision}.${await markOfCopies(tx, id)}`

type Copies = Awaited<ReturnType<typeof listRecordedCopies>>

const scopeOf = (id: number, copies: Copies): RecordScope['resources'] => [
  { type: 'document', ids: [id] },
  { type: 'controlled_copy', ids: copies.map(copy => copy.id) },
]

const copiesOf = (copies: Copies): Block[] =>
  copies.length === 0
    ? []
    : [
        { kind: 'heading', text: headings.controlled_copies },
        {
          kind: 'table',
          columns: [
            { title: headings.copy, share: 1.5 },
            { title: headings.version, share: 2.2 },
            { title: headings.issued_to, share: 3 },
            { title: headings.location, share: 3 },
            { title: headings.issued, share: 4 },
            { title: headings.prints, share: 1.8 },
            { title: headings.status, share: 2.5 },
            { title: headings.reconciled, share: 5 },
          ],
          rows: copies.map(copy => [
            String(copy.copy_number),
            copy.version,
            words(copy.issued_to),
            copy.location,
            by(copy.issued_at, copy.issued_by),
            String(copy.prints.length),
            plain(copy.status),
            copy.reconciled_at
              ? together([by(copy.reconciled_at, copy.reconciled_by), ': ', words(copy.reconciliation_reason)])
              : '-',
          ]),
        },
      ]

async function signaturesOf(tx: Tx, id: number, versions: readonly RecordedVersion[]): Promise<RecordedSignature[]> {
  const signatures = await listRecords(tx, { document_id: id })
  const known = new Map<number, Now>()
  for (const { version_id } of signatures)
    if (!known.has(version_id)) known.set(version_id, await readVersionNow(tx, readSignable, version_id))
  return versions.flatMap(({ id: versionId, version }) =>
    signatures
      .filter(({ version_id }) => version_id === versionId)
      .map(row => ({
        row,
        now: known.get(versionId)!,
        heading: printed.dossier_signatures_of({ version }),
      })),
  )
}

type Document = Awaited<ReturnType<typeof readRecord>>['document']

const factsOf = (document: Document, versions: readonly RecordedVersion[]): Fact[] => [
  [headings.document_type, document.document_type.name],
  [headings.owner, words(document.owner)],
  [headings.status, printed.dossier_status(document)],
  [headings.effective_version, document.effective_version ?? labels.none],
  [headings.effective_date, document.effective_date === null ? labels.not_set : dayOf(document.effective_date)],
  [headings.review_due, document.review_due_date === null ? labels.not_set : dayOf(document.review_due_date)],
  [headings.category, document.category ?? '-'],
  [headings.keywords, document.keywords.join(', ')],
  [headings.versions, String(versions.length)],
  [headings.created, by(document.created_at, document.created_by)],
  ...importedFacts(document),
]

const pagesOf = (version: RecordedVersion, isAltered: boolean): Block[] => [
  { kind: 'heading', text: printed.dossier_version({ version: version.version }) },
  ...(version.file_removal ? [{ kind: 'warning' as const, text: removalOf(version.file_removal) }] : []),
  ...(isAltered ? [{ kind: 'warning' as const, text: printed.dossier_file_differs() }] : []),
  {
    kind: 'facts',
    facts: [
      [headings.status, stateOf(version.status)],
      [headings.title, version.title],
      [headings.category, version.category ?? '-'],
      [headings.description, version.description ?? '-'],
      [headings.keywords, version.keywords.join(', ')],
      [headings.change, printed.dossier_change({ type: version.change_type, reason: version.change_reason })],
      [headings.uploaded, by(version.created_at, version.created_by)],
      [headings.submitted, moment(version.submitted_at)],
      [headings.approved, moment(version.approved_at)],
      [
        headings.effective,
        version.effective_at
          ? together([dayOf(version.effective_date), ' (', moment(version.effective_at), ')'])
          : dayOf(version.effective_date),
      ],
      [
        headings.workflow,
        printed.dossier_workflow({
          name: version.workflow_template,
          version: version.workflow_template_version,
          round: version.round,
        }),
      ],
      [headings.file, file(version.file_name, version.content_type, version.file_size)],
      [headings.sha256, version.sha256],
    ],
  },
]

const historyOf = (rows: readonly Row[]): Block[] =>
  rows.length === 0
    ? []
    : [
        { kind: 'heading', text: headings.history },
        {
          kind: 'table',
          columns: [
            { title: headings.time, share: 4 },
            { title: headings.version, share: 1.6 },
            { title: headings.event, share: 4 },
            { title: headings.user, share: 2.5 },
            { title: headings.comment, share: 5 },
          ],
          rows: rows.map(row => [
            moment(row.occurred_at),
            `${words(row.version)} (${words(row.round)})`,
            describeEntry(row),
            row.user ? words(row.user) : labels.system,
            words(row.comment),
          ]),
        },
      ]

const describeEntry = ({ kind, transition, from, to, decision, is_void }: Row) =>
  kind === 'transition'
    ? printed.dossier_document_transition({
        ...{ transition: words(transition), from: from ? words(from) : null, to: words(to) },
      })
    : printed.dossier_document_decision({
        ...{ decision: words(decision), transition: words(transition), is_void: Boolean(is_void) },
      })

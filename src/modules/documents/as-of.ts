import type { ActionContext } from '#action'
import { notFound } from '#kernel/errors.ts'
import type { Person } from '#kernel/schema.ts'
import { listRecordedEvents, momentOf, peopleNamed, Replayed, replay, requireBeginning } from '#modules/audit'
import type { WorkflowDefinition } from '#modules/workflows'
import type { Tx } from '#platform/db/database.ts'
import { foldVersions, type KnownVersion } from './as-of-rules.ts'
import { canRead, isUnderWay, sightOf } from './core/rules.ts'
import type { DocumentDetails, PeriodicReview } from './core/schema.ts'
import { listKnownVersions } from './core/version-queries.ts'
import { requireReadable } from './core/view.ts'
import { listReviews } from './periodic-reviews/queries.ts'

/** Only a draft can change its workflow, so a status that the current workflow lacks was one before approval. */
const kindIn =
  ({ states }: WorkflowDefinition) =>
  (status: string): string =>
    states.find(({ name }) => name === status)?.kind ?? (status === 'superseded' ? 'final' : 'initial')

/** The document as it was, rebuilt from the audit trail, for readers who may read it today and could have read it then. */
export async function documentAsOf(
  context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  id: number,
  as_of: string,
  version?: string,
): Promise<DocumentDetails> {
  const { tx, actor } = context
  const { at } = await momentOf(context, as_of)
  const { row } = await requireReadable(tx, actor, id)
  const told = (await listRecordedEvents(tx, 'document', [id], at)).get(id) ?? []
  requireBeginning(told, ['document.version_created'])
  const rows = new Map((await listKnownVersions(tx, id)).map(each => [each.version, each]))
  const known = new Map(
    [...rows].map(([name, each]): [string, KnownVersion] => [
      name,
      { major: each.major, minor: each.minor, kindOf: kindIn(each.definition) },
    ]),
  )
  const then = foldVersions(told, known)
  const shown = then?.versions.get(version ?? then.effective ?? then.latest)
  if (!then || !shown) throw notFound('Document')
  const was = new Replayed(told)
  const owner = (await peopleNamed(tx, [was.get('owner')]))(was.get('owner'))
  const { file, file_key, created_by, status_kind, definition } = rows.get(shown.version)!
  const kind = kindIn(definition)(shown.status)
  const sight = sightOf(actor)
  const isReadable =
    canRead(sight, { status_kind: kind, owner_id: owner.id, created_by }) &&
    canRead(sight, { status_kind, owner_id: row.owner.id, created_by })
  if (!isReadable) throw notFound('Document')
  const latest = then.versions.get(then.latest)!
  const { created_by: author_of_latest, definition: workflow_of_latest } = rows.get(then.latest)!
  const isPending =
    latest !== shown &&
    isUnderWay(kindIn(workflow_of_latest)(latest.status)) &&
    (sight.drafts || [owner.id, author_of_latest].includes(sight.userId!))
  const changed = was.events.findLast(({ changes }) => changes.revision) ?? told[0]!
  return {
    id,
    number: row.number,
    legacy_number: row.legacy_number,
    imported: row.imported,
    version: shown.version,
    status: shown.status,
    title: shown.title,
    category: shown.category,
    description: shown.description,
    department: row.department,
    keywords: shown.keywords,
    file_path: file_key,
    file,
    document_type: { id: row.document_type.id, name: await typeNameAt(tx, row.document_type.id, was, at) },
    owner,
    effective_version: kind === 'effective' ? shown.version : null,
    effective_date: shown.effective_date,
    review_due_date: shown.review_due_date,
    needs_revision: shown.needs_revision,
    pending_version: isPending
      ? { version: latest.version, status: latest.status, effective_date: latest.effective_date }
      : null,
    // A file that is gone today cannot be shown as it was either.
    disposal: rows.get(shown.version)!.disposal,
    last_review: await reviewOf(tx, id, shown.review_signature_id),
    created_at: row.created_at,
    created_by: row.created_by as Person | null,
    updated_at: changed.at,
    updated_by: changed.by,
    revision: was.get('revision'),
    reconstruction: was.asOf(at, ['content', 'training', 'workflow']),
  }
}

/** The name of the type at that moment; a type without a trail of its own has the name that the document was created with. */
async function typeNameAt(tx: Tx, resource_id: number, document: Replayed, at: string): Promise<string> {
  const type = await replay(tx, { resource_type: 'document_type', resource_id }, at)
  return type?.get<string | null>('name') ?? document.get('document_type')
}

async function reviewOf(tx: Tx, documentId: number, signatureId: number | null): Promise<PeriodicReview | null> {
  const found = signatureId && (await listReviews(tx, documentId)).find(each => each.signature_id === signatureId)
  if (!found) return null
  const { version_id: _, ...review } = found
  return review
}

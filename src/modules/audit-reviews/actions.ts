import { command, type PrepareContext, query } from '#action'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { proveIdentity } from '#modules/accounts'
import { sealNow } from '#modules/audit'
import { type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { countReviews, findReview, hasUser, insertReview, listReviews, readPeriod, reviewSorts } from './queries.ts'
import { AuditReview, AuditReviewCreate, AuditReviewDetails, AuditReviewFilter, type Reviewed } from './schema.ts'
import { findActors, isKnownRecord, readSet } from './set-queries.ts'
import { numberOf, signedAuditReviews } from './subject.ts'

function reviewedBy({ date_from, date_to, filter, outcome, findings }: AuditReviewCreate): Reviewed {
  if (outcome === 'findings' && findings === undefined)
    throw invalidField('findings', messages.audit_review_findings_required())
  if (outcome !== 'findings' && findings !== undefined)
    throw invalidField('findings', messages.audit_review_findings_not_allowed())
  if (filter?.resource_id !== undefined && filter.resource_type === undefined)
    throw invalidField('filter.resource_type', messages.audit_review_record_kind_required())
  return { date_from, date_to, ...filter }
}

/** Refuses before anything is sealed or a password is asked for. */
async function requireReviewable(tx: Tx, { actor, services }: PrepareContext, reviewed: Reviewed) {
  const { user_id, resource_type, resource_id } = reviewed
  const { is_one, is_over, ...period } = await readPeriod(tx, reviewed, services.clock.now())
  if (!is_one) throw invalidField('date_to', messages.audit_review_period_reversed())
  if (!is_over) throw invalidField('date_to', messages.audit_review_period_not_over())
  if (user_id !== undefined && !(await hasUser(tx, user_id))) throw notFound('User')
  if (resource_id !== undefined && !(await isKnownRecord(tx, resource_type!, resource_id))) throw notFound('Record')
  const { entries, has_own, has_others } = await findActors(tx, reviewed, actor.userId!)
  if (entries === 0) throw conflict(messages.audit_review_no_entries())
  if (has_own && !has_others) throw conflict(messages.audit_review_own_actions_only())
  return period
}

/** The intent of the signature, unless the reviewer enters another. */
const intents = {
  no_findings: 'I have reviewed these audit trail entries and have no findings',
  findings: 'I have reviewed these audit trail entries and recorded my findings',
}

interface Prepared {
  reviewed: Reviewed
  period: { starts_at: string; ends_at: string }
  tree: { epoch: number; size: number }
  set: Omit<Awaited<ReturnType<typeof readSet>>, 'later_entries'>
  proof: RecordProof
}

export const review = command({
  summary: 'Review the audit trail',
  description:
    'Reviews the entries of a past period that match the filter of the list. Signed: `password` (and `otp`), or a fresh log-in. The review keeps the number of entries, their hash, and the signed root of their tree. It is refused if all actions of people in it are those of the reviewer alone.',
  permission: 'audit.review',
  input: { body: AuditReviewCreate },
  response: AuditReview,
  async prepare(context: PrepareContext, { body }): Promise<Prepared> {
    const { actor, services, read } = context
    const reviewed = reviewedBy(body)
    const period = await read(tx => requireReviewable(tx, context, reviewed))
    const proof = { ...(await proveIdentity(context, body)), files: [] }
    const { epoch, size } = await sealNow(services, actor.tenantId)
    const tree = { epoch, size }
    const { later_entries: _unseen, ...set } = await read(tx => readSet(tx, reviewed, actor.userId!, tree))
    return { reviewed, period, tree, set, proof }
  },
  async run(context, { body: { outcome, findings = null, intent } }) {
    const { tx, record, prepared } = context
    const { reviewed, period, tree, set, proof } = prepared
    const { first_seq, last_seq } = set
    const said = { ...tree, ...set, first_seq: first_seq!, last_seq: last_seq!, outcome, findings }
    const { id } = await insertReview(tx, { ...said, ...period, filter: reviewed })
    const signature_id = await signRecord(context, (await signedAuditReviews.read(tx, id))!, {
      signature_type: 'review',
      intent: intent ?? intents[outcome],
      occasion: { kind: 'audit_review', ref: '' },
      proof,
      isNew: true,
      fillsIn: true,
    })
    record('audit_review.created', id, {
      number: numberOf(id),
      after: { ...reviewed, ...said, signature_id },
      reason: findings,
    })
    return (await findReview(tx, id))!
  },
})

export const list = query({
  summary: 'List reviews of the audit trail',
  permission: 'audit.read',
  input: { query: AuditReviewFilter },
  response: Page(AuditReview),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, reviewSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      (limit, offset) => listReviews(tx, query, sort, limit, offset),
      () => countReviews(tx, query),
    )
  },
})

async function requireReview(tx: Tx, id: number) {
  const review = await findReview(tx, id)
  if (!review) throw notFound('Audit review')
  return review
}

export const details = query({
  summary: 'Read a review of the audit trail',
  description: 'With what its filter finds now, compared with what was reviewed.',
  permission: 'audit.read',
  input: { params: IdParams },
  response: AuditReviewDetails,
  async run({ tx }, { params }): Promise<AuditReviewDetails> {
    const review = await requireReview(tx, params.id)
    const { date_from, date_to, filter, reviewer, checkpoint } = review
    const now = await readSet(tx, { date_from, date_to, ...filter }, reviewer.id, checkpoint)
    const still_matches = now.entries === review.entries && now.entries_sha256 === review.entries_sha256
    return { ...review, still_matches, later_entries: now.later_entries }
  },
})

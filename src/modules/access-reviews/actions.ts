import { command, type PrepareContext, query } from '#action'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { proveIdentity, readSettings } from '#modules/accounts'
import { type RecordProof, signRecord } from '#modules/signatures'
import { accountsNow, accountsOf, countChanged, keepAccounts, summarize } from './account-queries.ts'
import { messages } from './messages.ts'
import { countReviews, findReview, insertReview, listReviews, numberOf, readSubject, reviewSorts } from './queries.ts'
import { remarksOf } from './rules.ts'
import { AccessReview, AccessReviewCreate, AccessReviewDetails, AccessReviewFilter } from './schema.ts'

function requireFindings({ outcome, findings }: AccessReviewCreate) {
  if (outcome === 'findings' && findings === undefined)
    throw invalidField('findings', messages.access_review_findings_required())
  if (outcome !== 'findings' && findings !== undefined)
    throw invalidField('findings', messages.access_review_findings_not_allowed())
}

/** The intent of the signature, unless the reviewer enters another. */
const intents = {
  no_findings: 'I have reviewed these accounts and their access and have no findings',
  findings: 'I have reviewed these accounts and their access and recorded my findings',
}

/** Refuses before a password is asked for. */
async function prepare(context: PrepareContext, { body }: { body: AccessReviewCreate }): Promise<RecordProof> {
  requireFindings(body)
  const now = context.services.clock.now()
  const { accounts_sha256 } = await context.read(tx => summarize(tx, accountsNow(tx, now)))
  if (accounts_sha256 !== body.accounts_sha256) throw conflict(messages.access_review_list_changed())
  return { ...(await proveIdentity(context, body)), files: [] }
}

export const review = command({
  summary: 'Review the accounts and their access',
  description:
    'Signed: `password` (and `otp`), or a fresh log-in. `accounts_sha256` is that of the list that was read; where an account changed since, it is a 409. The review keeps the list, in which the account of the reviewer counts too.',
  permission: 'users.review_access',
  input: { body: AccessReviewCreate },
  response: AccessReview,
  prepare,
  async run(context, { body: { accounts_sha256, outcome, findings = null, intent } }) {
    const { tx, actor, services, record, prepared: proof } = context
    const now = services.clock.now()
    const remarks = remarksOf(await readSettings(tx))
    const { accounts, own_accounts } = await summarize(tx, accountsNow(tx, now), actor.userId)
    const said = { outcome, findings, accounts, own_accounts, accounts_sha256 }
    const { id } = await insertReview(tx, { ...said, remarks })
    await keepAccounts(tx, id, now)
    // What was kept counts: another transaction may have changed an account since the list was read.
    const kept = await summarize(tx, accountsOf(tx, id))
    if (kept.accounts_sha256 !== accounts_sha256 || kept.accounts !== accounts)
      throw conflict(messages.access_review_list_changed())
    const signature_id = await signRecord(context, (await readSubject(tx, id))!, {
      signature_type: 'review',
      intent: intent ?? intents[outcome],
      occasion: { kind: 'access_review', ref: '' },
      proof,
      isNew: true,
    })
    record('access_review.created', id, { number: numberOf(id), after: { ...said, signature_id }, reason: findings })
    return (await findReview(tx, id))!
  },
})

export const list = query({
  summary: 'List access reviews',
  permission: 'users.read_logins',
  input: { query: AccessReviewFilter },
  response: Page(AccessReview),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, reviewSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      (limit, offset) => listReviews(tx, query, sort, limit, offset),
      () => countReviews(tx, query),
    )
  },
})

export const details = query({
  summary: 'Read an access review',
  description: 'Whether the stored list is the signed one, and how many accounts differ from it today.',
  permission: 'users.read_logins',
  input: { params: IdParams },
  response: AccessReviewDetails,
  async run({ tx, services }, { params }): Promise<AccessReviewDetails> {
    const review = await findReview(tx, params.id)
    if (!review) throw notFound('Access review')
    const [kept, changed_accounts] = await Promise.all([
      summarize(tx, accountsOf(tx, params.id)),
      countChanged(tx, params.id, services.clock.now()),
    ])
    const is_intact = kept.accounts === review.accounts && kept.accounts_sha256 === review.accounts_sha256
    return { ...review, is_intact, changed_accounts }
  },
})

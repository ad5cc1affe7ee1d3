import { type ActionContext, type Actor, command, type PrepareContext, query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { findLinkedRecord } from '#modules/casework'
import { proveToSign, type RecordProof, signRecord } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import { seriesOfYear, takeNumber } from '#platform/db/numbers.ts'
import {
  countHolds,
  findHold,
  holdSorts,
  insertHold,
  isType,
  liftHold,
  listHolds,
  lockHold,
  lockPlacement,
  type StoredHold,
} from './hold-queries.ts'
import { liftingRefusal, requireOneScope } from './rules.ts'
import { HoldFilter, HoldLifting, HoldPlacement, LegalHold, type RecordKind } from './schema.ts'
import { readHold } from './subject.ts'

/** The title of the record is for who may read the record. */
async function shown(tx: Tx, actor: Actor, hold: StoredHold): Promise<LegalHold> {
  const { document_id: _document, deviation_id: _deviation, capa_id: _capa, record, ...rest } = hold
  const isReadable = record !== null && (await findLinkedRecord(tx, actor, record)) !== undefined
  return { ...rest, record: record && { ...record, title: isReadable ? record.title : null } }
}

async function requireHold(tx: Tx, id: number): Promise<StoredHold> {
  const hold = await findHold(tx, id)
  if (!hold) throw notFound('Legal hold')
  return hold
}

export const list = query({
  summary: 'List legal holds',
  permission: 'retention.read',
  input: { query: HoldFilter },
  response: Page(LegalHold),
  async run({ tx, actor }, { query }) {
    const sort = parseSort(query.sort, holdSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      async (limit, offset) => {
        const found: LegalHold[] = []
        for (const hold of await listHolds(tx, query, sort, limit, offset)) found.push(await shown(tx, actor, hold))
        return found
      },
      () => countHolds(tx, query),
    )
  },
})

export const details = query({
  summary: 'Read a legal hold',
  permission: 'retention.read',
  input: { params: IdParams },
  response: LegalHold,
  run: async ({ tx, actor }, { params }) => shown(tx, actor, await requireHold(tx, params.id)),
})

const named: Record<RecordKind, string> = { document: 'Document', deviation: 'Deviation', capa: 'CAPA' }

/** Nobody holds a record that they may not read. */
async function requireScope(
  tx: Tx,
  actor: Actor,
  { document_id, deviation_id, capa_id, document_type_id }: HoldPlacement,
) {
  const of = { document: document_id, deviation: deviation_id, capa: capa_id }
  for (const [kind, id] of Object.entries(of) as [RecordKind, number | undefined][])
    if (id !== undefined && !(await findLinkedRecord(tx, actor, { kind, id }))) throw notFound(named[kind])
  if (document_type_id !== undefined && !(await isType(tx, document_type_id))) throw notFound('Document type')
}

export const place = command({
  summary: 'Place a legal hold',
  description:
    'On a record, on all documents of a type, on all records of a kind, or on the deviations about an affected item or a department with the documents and CAPAs that they link. It holds at once, also for records that are named later, and stops disposals that are proposed or approved.',
  permission: 'retention.hold',
  input: { body: HoldPlacement },
  response: LegalHold,
  async run(context, { body }) {
    const { tx, actor, record } = context
    requireOneScope(body)
    await requireScope(tx, actor, body)
    await lockPlacement(tx)
    const number = await takeNumber(tx, seriesOfYear('LH', await todayOf(context)))
    const { id } = await insertHold(tx, { number, ...body })
    const { reason, ...scope } = body
    record('legal_hold.placed', id, { number, after: { status: 'active', ...scope }, reason })
    return shown(tx, actor, await requireHold(tx, id))
  },
})

function requireLifting(actor: ActionContext<unknown>['actor'], hold: StoredHold) {
  const refusal = liftingRefusal(actor, hold)
  if (refusal) throw refusal
}

export const lift = command({
  summary: 'Lift a legal hold',
  description:
    'Signed: `password` (and `otp`), or a fresh log-in, by another person than the one who placed it. The records can be disposed of again.',
  permission: 'retention.hold',
  input: { params: IdParams, body: HoldLifting },
  response: LegalHold,
  async prepare(context: PrepareContext, { params: { id }, body }): Promise<RecordProof> {
    await context.read(async tx => requireLifting(context.actor, await requireHold(tx, id)))
    return proveToSign(context, { type: 'legal_hold', id }, body)
  },
  async run(context, { params: { id }, body: { lift_reason } }) {
    const { tx, actor, record, prepared: proof } = context
    await lockHold(tx, id)
    const hold = await requireHold(tx, id)
    requireLifting(actor, hold)
    const { number } = hold
    const signature_id = await signRecord(context, (await readHold(tx, id))!, {
      signature_type: 'hold_lifting',
      intent: `I lift the legal hold ${number}: ${lift_reason}`.slice(0, 2000),
      occasion: { kind: 'legal_hold', ref: 'lifting' },
      proof,
    })
    await liftHold(tx, id, lift_reason)
    record('legal_hold.lifted', id, {
      number,
      before: { status: 'active' },
      after: { status: 'lifted', signature_id },
      reason: lift_reason,
      notify: [hold.placed_by.id],
    })
    return shown(tx, actor, await requireHold(tx, id))
  },
})

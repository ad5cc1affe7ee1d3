import type { ActionContext } from '#action'
import { invalidField, notFound } from '#kernel/errors.ts'
import type { CaseRef } from './base/kinds.ts'
import { type Existing, existingLinks, findOther, type Linked, lockCases, type Other } from './link-queries.ts'
import type { LinkedKind } from './link-schema.ts'
import { labelOf, makeLink, requireOpenEnds, takeLink } from './links.ts'
import { messages } from './messages.ts'

export interface Wanted {
  document_ids?: readonly number[] | undefined
  capa_ids?: readonly number[] | undefined
  deviation_ids?: readonly number[] | undefined
}

/**
 * Makes the links of a record match the lists that are given. Existing links keep their relation, new ones get the first relation of their
 * kind, and a removed link needs the reason of the change.
 */
export async function setLinks(
  context: ActionContext<unknown>,
  ref: CaseRef,
  { document_ids, capa_ids, deviation_ids }: Wanted,
  { reason = null }: { reason?: string | null } = {},
): Promise<void> {
  const { tx } = context
  const wanted = { document: document_ids, capa: capa_ids, deviation: deviation_ids } satisfies Record<
    LinkedKind,
    unknown
  >
  const kinds = (Object.keys(wanted) as LinkedKind[]).filter(kind => wanted[kind])
  if (kinds.length === 0) return
  const existing = await existingLinks(tx, ref)
  const plan = kinds.map(kind => planOf(kind, wanted[kind]!, existing))
  const added = plan.flatMap(({ added }) => added)
  const taken = plan.flatMap(({ taken }) => taken)
  if (added.length + taken.length === 0) return
  await lockCases(tx, [ref, ...added, ...taken.map(({ kind, other_id }) => ({ kind, id: other_id }))])
  const self: Other = (await findOther(tx, 'anybody', ref))!
  const others: Other[] = []
  for (const each of added) others.push(await requireOther(context, ref, each))
  if (taken.length > 0 && reason === null) throw invalidField('change_reason', messages.record_reason_required())
  for (const other of others) await makeLink(context, self, other)
  for (const link of taken) {
    const other = (await findOther(tx, 'anybody', { kind: link.kind, id: link.other_id }))!
    requireOpenEnds(other)
    await takeLink(context, self, other, link, reason)
  }
}

function planOf(kind: LinkedKind, ids: readonly number[], existing: readonly Existing[]) {
  const linked = existing.filter(each => each.kind === kind)
  const added = [...new Set(ids)].filter(id => !linked.some(({ other_id }) => other_id === id))
  return {
    added: added.map((id): Linked => ({ kind, id })),
    taken: linked.filter(({ other_id }) => !ids.includes(other_id)),
  }
}

async function requireOther({ tx, actor }: ActionContext<unknown>, ref: CaseRef, target: Linked): Promise<Other> {
  if (target.kind === ref.kind && target.id === ref.id)
    throw invalidField(`${target.kind}_ids`, messages.link_to_itself())
  const other = await findOther(tx, actor, target)
  if (!other) throw notFound(labelOf[target.kind])
  return other
}

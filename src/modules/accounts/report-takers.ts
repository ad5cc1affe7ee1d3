import { type Static, Type } from 'typebox'
import { invalidField, notFound } from '#kernel/errors.ts'
import { Body, Ref, Words } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { listGroupIds, listUserIds } from './queries.ts'

export const ReportTaker = Body({
  department: Type.Optional(Words(200)),
  reporter_group_id: Type.Optional(Ref('group')),
  user_id: Type.Optional(Ref('user')),
  group_id: Type.Optional(Ref('group')),
})
export type ReportTaker = Static<typeof ReportTaker>

/** Each entry names one taker, a person or a group of this tenant. */
export async function requireTakers(tx: Tx, takers: readonly ReportTaker[]) {
  const idsOf = (...fields: ('reporter_group_id' | 'user_id' | 'group_id')[]) =>
    takers.flatMap(each => fields.map(field => each[field])).filter(id => id !== undefined)
  const users = new Set(await listUserIds(tx, idsOf('user_id')))
  if (idsOf('user_id').some(id => !users.has(id))) throw notFound('User')
  const groups = new Set(await listGroupIds(tx, idsOf('reporter_group_id', 'group_id')))
  if (idsOf('reporter_group_id', 'group_id').some(id => !groups.has(id))) throw notFound('Group')
  const place = takers.findIndex(each => (each.user_id === undefined) === (each.group_id === undefined))
  if (place >= 0) throw invalidField(`report_takers.${place}.user_id`, messages.report_taker_ambiguous())
}

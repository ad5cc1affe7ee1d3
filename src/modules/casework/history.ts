import { Type } from 'typebox'
import { query } from '#action'
import { Id, IdParams, Nullable, Person, Timestamp } from '#kernel/schema.ts'
import { type CaseAccess, openCase } from './base/access.ts'
import { caseKinds } from './base/kinds.ts'
import { listHistory } from './part-queries.ts'

const HistoryEntry = Type.Object({
  id: Id,
  transition: Type.String(),
  from: Nullable(Type.String()),
  to: Type.String(),
  user: Nullable(Person),
  reason: Nullable(Type.String()),
  signature_id: Nullable(Id),
  occurred_at: Timestamp,
})

export const history = (access: CaseAccess) =>
  query({
    summary: `Read the history of a ${caseKinds[access.kind].noun}`,
    description: 'Its transitions, in order.',
    permission: caseKinds[access.kind].read,
    input: { params: IdParams },
    response: Type.Array(HistoryEntry),
    async run({ tx, actor }, { params }) {
      return listHistory(tx, await openCase(tx, actor, access, params.id))
    },
  })

import { type Answer, call } from '../../api/client.ts'
import type { Operations } from '../../api/operations.generated.ts'
import { type Allowed, nothing } from '../../records/allowed.ts'
import type { Case, Sent } from '../../records/case/case.ts'

export type Capa = Answer<'GET /api/capa/{id}'>
export type Action = Capa['actions'][number]
export type Review = Answer<'GET /api/capa/{id}/effectiveness'>[number]
export type Change = Operations['PUT /api/capa/{id}']['body']

export const steps = ['draft', 'open', 'in_progress', 'pending_effectiveness', 'closed'] as const
export const youOf = ({ you }: Capa): Allowed => you ?? nothing

export const isOver = ({ status }: Pick<Capa, 'status'>) => ['closed', 'rejected', 'cancelled'].includes(status)

/** It has left its first state, so that changes need a reason. */
const needsReason = ({ status, approved_at }: Pick<Capa, 'status' | 'approved_at'>) =>
  status !== 'draft' && !(status === 'open' && approved_at === null)

export const caseOf = (capa: Capa): Case => ({
  kind: 'capa',
  id: capa.id,
  number: capa.number,
  title: capa.title,
  revision: capa.revision,
  needsReason: needsReason(capa),
  updated_at: capa.updated_at,
  updated_by: capa.updated_by,
  you: youOf(capa),
})

export const save = ({ id }: Pick<Capa, 'id'>, change: Change, sent: Sent) =>
  call('PUT /api/capa/{id}', { path: { id }, body: { ...change, ...sent } })

/** An action of an answer that is reconstructed has nothing that can be done with it. */
export const youOfAction = ({ you }: Action): Allowed => you ?? nothing

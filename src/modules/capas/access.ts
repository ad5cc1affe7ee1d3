import type { CaseAccess } from '#modules/casework'
import { findCase, moveDueDate } from './queries.ts'
import { type CapaState, isOver } from './rules.ts'

export const capaAccess: CaseAccess = {
  kind: 'capa',
  path: '/api/capa',
  permissions: { comment: 'capa.comment', change: 'capa.update' },
  isOver: status => isOver(status as CapaState),
  async find(tx, id) {
    const found = await findCase(tx, id)
    if (!found) return undefined
    const { created_by, assigned_to, approved_at: _approved, priority: _priority, ...record } = found
    const people = [...new Set([assigned_to, created_by].filter(person => person !== null))]
    return { ...record, people, assignee: assigned_to }
  },
  moveDueDate: async (tx, id, due_date) => (await moveDueDate(tx, id, due_date)).revision,
}

import { notFound } from '#kernel/errors.ts'
import type { CaseAccess } from '#modules/casework'
import { findCase, lockCapa, moveDueDate } from './queries.ts'
import { type CapaState, isOver } from './rules.ts'

export const capaAccess: CaseAccess = {
  kind: 'capa',
  path: '/api/capa',
  permissions: { read: 'capa.read', comment: 'capa.comment', change: 'capa.update' },
  async find(tx, id, { lock }) {
    if (lock) await lockCapa(tx, id)
    const found = await findCase(tx, id)
    if (!found) throw notFound('CAPA')
    const { created_by, assigned_to, ...record } = found
    return {
      ...record,
      kind: 'capa',
      isOver: isOver(record.status as CapaState),
      people: [...new Set([assigned_to, created_by].filter(person => person !== null))],
    }
  },
  moveDueDate: async (tx, id, due_date) => (await moveDueDate(tx, id, due_date)).revision,
}

import { type Route, route } from '#http'
import type { TrainingGate } from '#modules/documents'
import { approachingDeadlines, overdueItems } from './deadlines.ts'
import { assignedItems, pendingApprovals } from './lists.ts'
import { stats } from './stats.ts'

export { countByNewZone } from './counting.ts'

/** What training keeps back decides about documents, and so about whose decision one awaits. */
export const routes = (training: TrainingGate): Route[] => [
  route('GET', '/api/dashboard/assigned-items', assignedItems),
  route('GET', '/api/dashboard/pending-approvals', pendingApprovals(training)),
  route('GET', '/api/dashboard/overdue-items', overdueItems(training)),
  route('GET', '/api/dashboard/approaching-deadlines', approachingDeadlines(training)),
  route('GET', '/api/dashboard/stats', stats),
]

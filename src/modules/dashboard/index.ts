import { type Route, route } from '#http'
import { approachingDeadlines, overdueItems } from './deadlines.ts'
import { assignedItems, orphanedItems, pendingApprovals, unassignedItems } from './lists.ts'
import { records } from './records.ts'
import { stats } from './stats.ts'

/** The training gate decides who may approve a document, and so whose list it is on. */
export const routes: Route[] = [
  route('GET', '/api/dashboard/assigned-items', assignedItems),
  route('GET', '/api/dashboard/unassigned-items', unassignedItems),
  route('GET', '/api/dashboard/orphaned-items', orphanedItems),
  route('GET', '/api/dashboard/pending-approvals', pendingApprovals),
  route('GET', '/api/dashboard/overdue-items', overdueItems),
  route('GET', '/api/dashboard/approaching-deadlines', approachingDeadlines),
  route('GET', '/api/dashboard/stats', stats),
  route('GET', '/api/dashboard/records', records),
]

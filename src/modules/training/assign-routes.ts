import { type Route, route } from '#http'
import { endGroupAssignment, groupAssignments } from './assign-groups.ts'
import { assign, bulkAssign } from './assign.ts'
import { assignmentDetails, assignmentList, myTraining } from './assignments/actions.ts'
import { cancel, waive } from './assignments/waive.ts'

export const assignRoutes: Route[] = [
  route('POST', '/api/training/assign', assign),
  route('POST', '/api/training/bulk-assign', bulkAssign),
  route('GET', '/api/training/my-training', myTraining),
  route('GET', '/api/training/assignments/', assignmentList),
  route('GET', '/api/training/assignments/:id', assignmentDetails),
  route('POST', '/api/training/assignments/:id/waive', waive),
  route('POST', '/api/training/assignments/:id/cancel', cancel),
  route('GET', '/api/training/:id/groups', groupAssignments),
  route('DELETE', '/api/training/:id/groups/:group_id', endGroupAssignment, { status: 204 }),
]

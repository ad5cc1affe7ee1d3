import { requestsOf } from '#modules/casework'
import { findCase } from './queries.ts'
import { isInvestigated, isOver } from './rules.ts'

export const requestsOfDeviations = requestsOf('deviation', findCase, {
  deviation_reported: ({ status }, ids) => (status === 'open' ? ids : []),
  deviation_assigned: ({ status, assigned_to }, ids) =>
    isOver(status) || status === 'pending_approval' ? [] : ids.filter(each => each === assigned_to),
  deviation_unassigned: ({ status, assigned_to }, ids) => (assigned_to === null && isInvestigated(status) ? ids : []),
  deviation_approval_requested: ({ status }, ids) => (status === 'pending_approval' ? ids : []),
})

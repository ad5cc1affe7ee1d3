/** Measures that count events by day. */
export const happening = [
  'documents.created',
  'versions.created',
  'versions.approved',
  'rounds.rejected',
  'reviews.done',
  'deviations.opened.severity',
  'deviations.opened.category',
  'deviations.opened.root_cause',
  'deviations.opened.department',
  'deviations.late',
  'deviations.extended',
  'deviations.closed',
  'deviations.on_time',
  'deviations.moves',
  'capas.opened',
  'capas.extended',
  'capas.closed',
  'capas.on_time',
  'capas.moves',
  'effectiveness.completed',
  'assignments.assigned',
  'assignments.completed',
  'attempts.first',
] as const
export type Happening = (typeof happening)[number]

/** Measures of the current state. Some have a day, on which the record is due or began. */
export const standing = [
  'documents.shown',
  'documents.kind',
  'versions.pending',
  'versions.review_due',
  'deviations.status',
  'deviations.open',
  'deviations.ageing',
  'capas.status',
  'capas.open.priority',
  'capas.open.type',
  'capas.open.source',
  'assignments.open',
] as const
export type Standing = (typeof standing)[number]

/** Everything that records are counted as. */
export type Measure = Happening | Standing

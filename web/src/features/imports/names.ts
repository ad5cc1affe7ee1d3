export const batchStatuses = [
  ...(['staging', 'checking', 'checked', 'rehearsing', 'rehearsed', 'accepted', 'loading'] as const),
  ...(['failed', 'reconciling', 'loaded', 'released', 'discarded'] as const),
] as const
export type BatchStatus = (typeof batchStatuses)[number]

export const rowStatuses = ['error', 'warning', 'ok', 'new', 'loaded', 'verified', 'differs'] as const
export type RowStatus = (typeof rowStatuses)[number]

export const sheetNames = [
  ...(['users', 'groups', 'members', 'documents', 'versions', 'approvals', 'curricula', 'training'] as const),
  ...(['deviations', 'capas', 'capa_actions', 'links'] as const),
] as const
export type SheetName = (typeof sheetNames)[number]

export const stepNames = ['describe', 'files', 'columns', 'check', 'rehearse', 'sample', 'accept', 'release'] as const
export type StepName = (typeof stepNames)[number]

/** Those of the words of an address that mean something. */
export const namesIn = <T extends string>(known: readonly T[], given: readonly string[] = []): T[] =>
  known.filter(each => given.includes(each))
export const nameIn = <T extends string>(known: readonly T[], given: string | undefined): T | undefined =>
  known.find(each => each === given)

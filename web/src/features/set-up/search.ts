import { textOf } from '../../app/addresses.ts'

export const steps = ['company', 'people', 'roles', 'document_types', 'mail', 'documents'] as const
export type StepName = (typeof steps)[number]

/** Which step is open. Without one it is the first with something left. */
export interface SetUpSearch {
  step?: StepName | undefined
}

export const setUpSearch = (given: Record<string, unknown>): SetUpSearch => ({
  step: steps.find(each => each === textOf(given.step)),
})

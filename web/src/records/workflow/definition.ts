import type { Answer } from '../../api/client.ts'

type Template = Answer<'GET /api/workflow-templates/{id}'>
export type Definition = Template['definition']
/** The names of users and groups, which a definition has by their ids. */
export type Names = Template['names']
export type State = Definition['states'][number]
export type Transition = Definition['transitions'][number]
export type Gate = NonNullable<Transition['approval']>
export type Rule = Gate['rules'][number]
export type Who = Pick<Rule, 'kind' | 'who'>
export type StateKind = State['kind']

/** How a transition happens. A rejection is one by hand that belongs to the approvals of its states. */
export type Trigger = 'approval' | 'reject' | 'by_hand' | 'on_effective_date' | 'on_training_complete' | 'on_supersede'

export const triggerOf = ({ name, automatic, approval }: Transition): Trigger => {
  if (approval) return 'approval'
  if (automatic && automatic !== 'on_approval') return automatic
  return name === 'reject' ? 'reject' : 'by_hand'
}

export const sourcesOf = ({ from }: Transition): string[] => (typeof from === 'string' ? [from] : from)

export const labelOfState = ({ states }: Definition, name: string) =>
  states.find(each => each.name === name)?.label ?? name.replaceAll('_', ' ')

const inWords = (name: string) => `${name[0]?.toUpperCase() ?? ''}${name.slice(1).replaceAll('_', ' ')}`

export const labelOf = ({ name, label }: Pick<Transition, 'name' | 'label'>) => label ?? inWords(name)

export const idsOf = ({ who }: Who): number[] => [who].flat().map(Number)

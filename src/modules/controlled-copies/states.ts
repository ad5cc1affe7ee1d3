/** What becomes of a copy, as its holder says and the quality unit reconciles it. */
export const outcomes = ['returned', 'destroyed', 'lost'] as const
export type Outcome = (typeof outcomes)[number]

export const copyStates = ['issued', 'recalled', ...outcomes, 'cancelled'] as const
export type CopyState = (typeof copyStates)[number]

/** It is still with its holder, as far as is known. */
export const isOpen = (status: CopyState) => status === 'issued' || status === 'recalled'

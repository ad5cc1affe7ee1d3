/** What a model is asked for. */
export const callKinds = ['chat', 'generate', 'analyze', 'suggest_severity'] as const
export type AiCallKind = (typeof callKinds)[number]

/** `declined`: it answered that the documents do not say it. */
export const callStatuses = ['started', 'answered', 'declined', 'failed'] as const

export const callKinds = ['chat', 'generate', 'analyze', 'suggest_severity'] as const
export type AiCallKind = (typeof callKinds)[number]

/** `declined`: the model found no answer in the documents. */
export const callStatuses = ['started', 'answered', 'declined', 'failed'] as const

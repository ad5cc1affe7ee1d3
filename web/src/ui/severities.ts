export const severities = ['minor', 'major', 'critical'] as const
export type Severity = (typeof severities)[number]
export const priorities = ['low', 'medium', 'high', 'critical'] as const
export type Priority = (typeof priorities)[number]

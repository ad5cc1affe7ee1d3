import type { RootCause } from './deviation.ts'

export const methods = ['five_whys', 'fishbone', 'other'] as const
export type Method = (typeof methods)[number]
export const bones = ['people', 'process', 'equipment', 'materials', 'environment', 'management'] as const
export type Bone = (typeof bones)[number]
export const causeCategories = [
  'human_error',
  'process_failure',
  'equipment_failure',
  'material_issue',
  'supplier_issue',
  'method_procedure_gap',
  'training_gap',
  'documentation_gap',
  'environmental_issue',
  'system_software_issue',
  'data_integrity_issue',
  'unknown_inconclusive',
  'other',
] as const satisfies RootCause['category'][]
export const mostWhys = 7

export interface Why {
  why: string
  because: string
}
export interface Cause {
  cause: string
  is_contributing?: boolean
}

/** All that is entered, also of a method that is not chosen now: whoever looks at another one loses nothing. */
export interface CauseFields {
  method: Method | ''
  category: RootCause['category'] | ''
  summary: string
  whys: Why[]
  causes: Partial<Record<Bone, Cause[]>>
}

export function fieldsOf(cause: RootCause | null): CauseFields {
  const steps = cause?.steps
  return {
    method: cause?.method ?? '',
    category: cause?.category ?? '',
    summary: cause?.summary ?? '',
    whys: Array.isArray(steps) ? steps : [{ why: '', because: '' }],
    causes: steps && !Array.isArray(steps) ? (steps as CauseFields['causes']) : {},
  }
}

const isFilled = (text: string) => text.trim() !== ''

/** What is sent: without the lines that nobody filled in. */
export function causeOf({ method, category, summary, whys, causes }: CauseFields): RootCause {
  const filled = whys.filter(({ why, because }) => isFilled(why) || isFilled(because))
  const named = Object.fromEntries(
    bones
      .map((bone): [Bone, Cause[]] => [bone, (causes[bone] ?? []).filter(({ cause }) => isFilled(cause))])
      .filter(([, each]) => each.length > 0),
  )
  return {
    method: method as Method,
    category: category as RootCause['category'],
    summary: summary.trim(),
    ...(method === 'five_whys' && { steps: filled }),
    ...(method === 'fishbone' && { steps: named }),
  }
}

/** Whether there is all that a method asks for. */
export function isWhole(fields: CauseFields): boolean {
  const { method, category, summary, whys, causes } = fields
  if (method === '' || category === '' || !isFilled(summary)) return false
  if (method === 'five_whys')
    return (
      whys.some(({ why }) => isFilled(why)) && whys.every(({ why, because }) => isFilled(why) === isFilled(because))
    )
  return method !== 'fishbone' || Object.values(causes).some(each => each.some(({ cause }) => isFilled(cause)))
}

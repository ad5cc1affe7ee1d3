import type { Allowed } from '../allowed.ts'

/** The conditions that do not hold: of the end where the service knows them already, and of the next step. */
export function missingUntil({ why_not }: Allowed, goal: string, next: string | undefined): string[] {
  const reasons = [goal, next].flatMap(act => (act === undefined ? [] : (why_not[act] ?? [])))
  return [
    ...new Set(
      reasons.flatMap(({ code, params }) => (code === 'conditions_not_met' ? (params.missing as string[]) : [])),
    ),
  ]
}

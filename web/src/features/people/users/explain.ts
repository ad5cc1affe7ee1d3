import type { Answer } from '../../../api/client.ts'
import type { en } from '../words.en.ts'

type Explained = NonNullable<Answer<'GET /api/users/{id}/permissions'>['explained']>[number]

/** Why somebody has a permission or not, in a sentence. `roles` is their role and those that it inherits from, in this order. */
export function whyInWords({ is_held, steps }: Explained, roles: readonly string[], w: typeof en.explain): string {
  const last = steps.at(-1)
  if (last === undefined) return is_held ? w.everybody : w.nowhere
  // At the same distance a denial wins, so it comes last.
  const giver = steps.findLast(({ role, effect }) => effect === 'granted' && role !== null)?.role ?? undefined
  if (last.effect === 'denied') {
    if (is_held) return w.everybody
    if (last.role === null) return giver ? w.deniedPerson(giver) : w.deniedAlone
    return giver ? w.deniedRole(last.role, giver) : w.deniedRoleAlone(last.role)
  }
  if (last.role === null) return w.granted
  const distance = roles.indexOf(last.role)
  return distance <= 0 ? w.own(last.role) : w.inherited(last.role, roles.slice(0, distance).toReversed())
}

/** The person was granted or denied it, whatever the role says. */
export const isSingle = ({ steps }: Pick<Explained, 'steps'>) => steps.some(({ role }) => role === null)

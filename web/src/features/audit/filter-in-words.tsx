import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { nameOf } from '../../ui/person.tsx'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useMe } from '../session/session.ts'
import { useActions } from './actions.ts'
import { fieldName } from './values.ts'

type Filter = Answer<'GET /api/audit/reviews/'>['items'][number]['filter']

/** Which entries of a period a review is about. */
export function FilterInWords({ of: filter }: { of: Filter }) {
  const { audit: w } = useEvidenceWords()
  const { nameOf: actionName } = useActions()
  const { permissions } = useMe()
  const { user_id, action, resource_type, resource_id, outcome, q } = filter
  const { data: user } = useQuery({
    ...ask('GET /api/users/{id}', { path: { id: user_id ?? 0 } }),
    enabled: user_id !== undefined && permissions.includes('users.read'),
  })
  const parts = [
    user_id !== undefined && `${w.person}: ${user ? nameOf(user) : user_id}`,
    action !== undefined && actionName(action),
    outcome !== undefined && `${w.outcome}: ${w.outcomes[outcome]}`,
    resource_type !== undefined && `${w.facts.record}: ${fieldName(resource_type)} ${resource_id ?? ''}`.trim(),
    q !== undefined && `“${q}”`,
  ].filter(each => each !== false)
  return parts.length === 0 ? w.reviews.noFilter : parts.join('; ')
}

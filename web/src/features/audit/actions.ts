import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'
import { germanActions } from '../../words/audit-actions.ts'
import { useLanguage } from '../../words/index.ts'

/** What each action of the trail is called, in the order and the areas of the service. */
export function useActions() {
  const language = useLanguage()
  const { data } = useQuery({ ...ask('GET /api/audit/actions', {}), staleTime: Number.POSITIVE_INFINITY })
  const german = germanActions as Record<string, string>
  const actions = (data?.items ?? []).map(({ action, description, area }) => ({
    action,
    area,
    name: language === 'de' ? (german[action] ?? description) : description,
  }))
  const names = new Map(actions.map(({ action, name }) => [action, name]))
  return { actions, nameOf: (action: string) => names.get(action) ?? action }
}

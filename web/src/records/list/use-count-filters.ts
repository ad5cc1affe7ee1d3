import { useQuery } from '@tanstack/react-query'
import type { Answer, Given, Query } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { useLater } from '../../ui/use-later.ts'

type Counted = 'GET /api/documents/' | 'GET /api/deviations/' | 'GET /api/capa/'

const rest_ms = 300

/**
 * How many records have each value of the filters, asked for once the list has come and stands still: whoever types on, or opens a record
 * at once, does not wait for counts. Earlier ones stay in sight until then.
 */
export function useCountFilters<N extends Counted>(name: N, query: Query<N>, isListed: boolean) {
  const asked = isListed ? JSON.stringify(query) : ''
  const isStill = useLater(asked, rest_ms) === asked
  const { data } = useQuery({ ...askPage(name, { query } as Given<N>), enabled: isListed && isStill })
  return (data as Answer<N> | undefined)?.facets as Answer<N>['facets']
}

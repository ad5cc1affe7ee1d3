import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { pageOfRecord } from '../../app/addresses.ts'
import { useLater } from '../../ui/use-later.ts'
import { useMe } from '../session/session.ts'

type Named = Answer<'GET /api/find'>['items'][number]
type Passage = Answer<'GET /api/search/'>['items'][number]

/** A record that the palette found by its number or title. */
export interface FoundRecord extends Pick<Named, 'kind' | 'id' | 'number' | 'title' | 'status'> {
  /** Its address within the application. */
  page: string
}

const longest = 100
const mostPassages = 4

/** Records of all kinds by number and title, and documents by their text: what the palette knows of searching. */
export function useFound(text: string) {
  const canSearch = useMe().permissions.includes('search.use')
  const wanted = useLater(text, 180).slice(0, longest)
  const byName = useQuery({
    ...ask('GET /api/find', { query: { q: wanted } }),
    enabled: canSearch && wanted.length > 1,
  })
  const byText = useQuery({
    ...ask('GET /api/search/', { query: { q: wanted, page_size: mostPassages } }),
    enabled: canSearch && wanted.length > 2,
  })
  const isSearching = canSearch && text.length > 1 && (wanted !== text || byName.isFetching || byText.isFetching)
  if (wanted.length < 2) return { records: [], passages: [], isSearching }
  const records = (byName.data?.items ?? []).flatMap((each): FoundRecord[] => {
    const page = pageOfRecord(each.kind, each.id)
    return page === undefined ? [] : [{ ...each, page }]
  })
  const named = new Set(records.filter(({ kind }) => kind === 'document').map(({ id }) => id))
  const passages = (byText.data?.items ?? []).filter((each: Passage) => !named.has(each.document_id))
  return { records, passages, isSearching }
}

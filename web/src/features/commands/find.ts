import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'
import { useLater } from '../../ui/use-later.ts'

/** A record that the palette found. */
export interface Found {
  /** Its address within the application. */
  page: string
  number: string
  title: string
  status: string
}

const most = 8

/**
 * Records by number, title and text: what the palette knows of searching. The numbers and titles come first, because who types one
 * of them knows what they want.
 */
export function useFound(text: string): { found: Found[]; isSearching: boolean } {
  const wanted = useLater(text, 180)
  const byName = useQuery({
    ...ask('GET /api/documents/', { query: { q: wanted, page_size: most } }),
    enabled: wanted.length > 1,
  })
  const byText = useQuery({
    ...ask('GET /api/search/', { query: { q: wanted, page_size: most } }),
    enabled: wanted.length > 2,
  })
  const isSearching = text.length > 1 && (wanted !== text || byName.isFetching || byText.isFetching)
  if (wanted.length < 2) return { found: [], isSearching }
  const found = new Map<number, Found>()
  for (const { id, number, title, status } of byName.data?.items ?? [])
    found.set(id, { page: `/documents/${id}`, number, title, status })
  for (const { document_id: id, number, title, status } of byText.data?.items ?? [])
    if (!found.has(id)) found.set(id, { page: `/documents/${id}`, number, title, status })
  return { found: [...found.values()].slice(0, most), isSearching }
}

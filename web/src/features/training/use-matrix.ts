import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Answer, Query } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { pagesOf, type Span } from './matrix-window.ts'

export type Matrix = Answer<'GET /api/training/matrix'>
export type MatrixRow = Matrix['items'][number]
export type Cell = MatrixRow['cells'][number]
export type Standing = Cell['status']
export type MatrixFilter = Pick<Query<'GET /api/training/matrix'>, 'program_ids' | 'group_id' | 'role' | 'q' | 'status'>

/** People in one answer: few enough that reading it does not hold up a picture. */
export const page_size = 50

/** What was seen stays for a while, so that scrolling back asks nothing. A page of a hundred programs is large, so it does not stay for long. */
const kept_ms = 60_000

export const pageQuery = (filter: MatrixFilter, page: number) =>
  ask('GET /api/training/matrix', { query: { ...filter, page, page_size, sort: 'full_name:asc' } })

/** The first page says how many people there are, whichever rows are in sight. */
export const firstQuery = (filter: MatrixFilter) => ({
  ...askPage('GET /api/training/matrix', { query: { ...filter, page: 1, page_size, sort: 'full_name:asc' } }),
  staleTime: kept_ms,
})

/** The people and programs of the matrix, and the rows in sight as far as they are there. */
export function useMatrix(filter: MatrixFilter, sight: Span) {
  const first = useQuery(firstQuery(filter))
  const pages = pagesOf(sight, page_size).filter(page => page > 1)
  const others = useQueries({
    queries: pages.map(page => ({ ...pageQuery(filter, page), staleTime: kept_ms, gcTime: kept_ms })),
  })
  const failed = others.find(({ error }) => error !== null)
  const held = others.map(({ data }) => data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pages are what these answers are of
  const rowAt = useMemo(() => {
    const byPage = new Map(pages.map((page, index) => [page, held[index]]))
    return (index: number): MatrixRow | undefined => {
      const page = Math.floor(index / page_size) + 1
      return (page === 1 ? first.data : byPage.get(page))?.items[index % page_size]
    }
  }, [first.data, pages.join(), ...held])
  return {
    programs: first.data?.programs ?? [],
    total: first.data?.total ?? 0,
    rowAt,
    isThere: first.data !== undefined,
    isOld: first.isPlaceholderData,
    error: first.error ?? failed?.error ?? null,
    retry: () => void Promise.all([first.refetch(), ...others.map(each => each.refetch())]),
  }
}

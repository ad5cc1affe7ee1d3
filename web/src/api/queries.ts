import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { type Answer, call, type Given, type Operation } from './client.ts'

type Reading = Extract<Operation, `GET ${string}`>

/** What is asked for is the key: `useQuery(ask('GET /api/documents/', { query: { page: 2 } }))`. */
export const ask = <N extends Reading>(name: N, given: Given<N>) =>
  queryOptions({ queryKey: [name, given] as const, queryFn: ({ signal }) => call(name, given, signal) })

/** Of a list that is paged or narrowed: what is there stays in sight until the next page has come. */
export const askPage = <N extends Reading>(name: N, given: Given<N>) =>
  queryOptions({ ...ask(name, given), placeholderData: keepPreviousData })

type Listing = { [N in Reading]: Answer<N> extends { items: unknown[]; pages: number } ? N : never }[Reading]

/** All pages of a list that is read as a whole. */
export const askAll = <N extends Listing>(name: N, given: Given<N>) =>
  queryOptions({
    queryKey: [name, given, 'all'] as const,
    async queryFn({ signal }) {
      const items: Answer<N>['items'][number][] = []
      for (let page = 1, pages = 1; page <= pages; page++) {
        const one = { ...given, query: { ...given.query, page, page_size: 100 } } as Given<N>
        const answer: { items: typeof items; pages: number } = await call(name, one, signal)
        items.push(...answer.items)
        pages = answer.pages
      }
      return items
    },
  })

/** After a change: everything below these paths is asked for again. */
export const refresh = (client: QueryClient, ...paths: string[]) =>
  client.invalidateQueries({
    predicate: ({ queryKey: [name] }) => paths.some(path => String(name).startsWith(`GET /api/${path}`)),
  })

const records = [
  ...['documents/', 'deviations/', 'capa/', 'training/', 'controlled-copies/', 'signatures/'],
  ...['users/', 'roles/', 'groups/', 'service-accounts/', 'identity-providers/'],
  ...[
    'workflow-templates/',
    'configuration-changes/',
    'tenant-exports/',
    'retention/',
    'disposals/',
    'legal-holds/',
    'migrations/',
  ],
]

/** After a change of a record: a decision on one changes what waits for people, and often other records. */
export async function refreshRecords(client: QueryClient) {
  await refresh(client, ...records, 'dashboard/', 'notifications/')
  for (const listener of onRefreshed) listener()
}

/** Called when every record in sight has been read anew. */
export const onRefreshed = new Set<() => void>()

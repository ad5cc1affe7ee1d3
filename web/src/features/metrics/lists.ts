import { writeSearch } from '../../app/addresses.ts'
import { paths } from '../../app/paths.ts'

/** The page of a list, and what it calls the filters of the service that it has. */
const pagesOfLists: Record<string, { path: string; filters: Record<string, string> }> = {
  '/api/documents/': {
    path: '/documents',
    filters: { status: 'status', document_type: 'type', category: 'category', overdue_review: 'overdue' },
  },
  '/api/deviations/': {
    path: '/deviations',
    filters: {
      status: 'status',
      severity: 'severity',
      category: 'category',
      department: 'department',
      overdue: 'overdue',
    },
  },
  '/api/capa/': {
    path: '/capa',
    filters: { status: 'status', type: 'type', source: 'source', priority: 'priority', overdue: 'overdue' },
  },
  '/api/training/assignments/': {
    path: '/training/assignments',
    filters: { status: 'status', overdue: 'overdue' },
  },
}

/** The address of the page that shows exactly the records of this list; undefined where the page lacks one of its filters. */
export function pageOfList(list: string, served: readonly string[] = Object.values(paths)): string | undefined {
  const [address = '', query = ''] = list.split('?')
  const page = pagesOfLists[address]
  if (page === undefined || !served.includes(page.path)) return undefined
  const given = new URLSearchParams(query)
  const search: Record<string, string[]> = {}
  for (const name of new Set(given.keys())) {
    const filter = page.filters[name]
    if (filter === undefined) return undefined
    search[filter] = given.getAll(name)
  }
  return `${page.path}${writeSearch(search)}`
}

/** The query of a list as the client of the API takes it. */
export function queryOfList(list: string): Record<string, string | string[]> {
  const given = new URLSearchParams(list.split('?')[1] ?? '')
  return Object.fromEntries(
    [...new Set(given.keys())].map(name => {
      const values = given.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    }),
  )
}

import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FileText, FileUp } from 'lucide-react'
import { useEffect } from 'react'
import { addressOf } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { useColumns } from '../../records/list/columns.tsx'
import { Begin, ListPage } from '../../records/list/list-page.tsx'
import { Views } from '../../records/list/views.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { shownAtFirst, useDocumentColumns } from './columns.tsx'
import { Filters } from './documents-filters.tsx'
import {
  type DocumentsSearch,
  defaultSort,
  filtersOf,
  isNarrowed,
  queryOf,
  type Reader,
  searchOfView,
  viewOf,
} from './search.ts'

const reviewDays = 90

export function DocumentsPage() {
  const { documents: w, lists, upload } = useWords()
  const search = useSearch({ from: '/app/documents' })
  const navigate = useNavigate({ from: '/documents' })
  const { id, tenant, permissions } = useMe()
  const { today } = useFormat()
  const reader: Reader = { id, today: today(tenant?.time_zone) }
  const list = useQuery(askPage('GET /api/documents/', { query: queryOf(search, reader) }))
  const columns = useColumns('documents', useDocumentColumns(), shownAtFirst)
  useTitle(w.title)
  useDocumentPage(list.data !== undefined)

  const commonViews = [
    { name: lists.all, search: '' },
    { name: lists.drafts, search: viewOf({ status: ['draft'], mine: true }) },
    { name: lists.reviewDue(reviewDays), search: viewOf({ due: reviewDays, sort: 'review_due_date:asc' }) },
  ]

  /** Another filter is another list, which begins at its first page. */
  const narrow = (change: DocumentsSearch) =>
    void navigate({ search: { ...search, page: undefined, ...change }, replace: 'q' in change })
  return (
    <ListPage
      title={w.title}
      of={list}
      rowKey={({ id: key }) => key}
      columns={columns}
      sort={search.sort ?? defaultSort}
      narrow={narrow}
      addressAs={format => addressOf('GET /api/documents/', { query: { ...filtersOf(search, reader), format } })}
      begin={
        permissions.includes('documents.create') && (
          <Begin icon={FileUp} name={upload.submit} onPress={() => void navigate({ to: '/documents/new' })} />
        )
      }
      isNarrowed={isNarrowed(search)}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: FileText, title: w.empty, hint: w.emptyHint }}
    >
      <Views list="documents" path={paths.documents} read={searchOfView} now={viewOf(search)} common={commonViews} />
      <Filters
        search={search}
        reader={reader}
        narrow={narrow}
        isListed={list.data !== undefined && !list.isPlaceholderData}
      />
    </ListPage>
  )
}

/** Whoever reads the list opens a document next: once the list is there, the code of that page comes, before it is asked for. */
function useDocumentPage(isListed: boolean) {
  useEffect(() => {
    if (!isListed) return
    const timer = setTimeout(() => void import('./document-page.tsx'), 300)
    return () => clearTimeout(timer)
  }, [isListed])
}

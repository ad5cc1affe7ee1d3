import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { ask } from '../../api/queries.ts'
import { compareSearch } from '../../features/documents/compare-search.ts'
import { documentSearch } from '../../features/documents/document-search.ts'
import { newDocumentSearch } from '../../features/documents/new-document-search.ts'
import { documentsSearch } from '../../features/documents/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { app, idInPath } from './root.tsx'

const documents = createRoute({
  getParentRoute: () => app,
  path: paths.documents,
  validateSearch: strictly(documentsSearch),
  component: lazyRouteComponent(() => import('../../features/documents/documents-page.tsx'), 'DocumentsPage'),
})

const newDocument = createRoute({
  getParentRoute: () => app,
  path: paths.newDocument,
  validateSearch: strictly(newDocumentSearch),
  component: lazyRouteComponent(() => import('../../features/documents/new-document-page.tsx'), 'NewDocumentPage'),
})

const document = createRoute({
  getParentRoute: () => app,
  path: paths.document,
  params: idInPath,
  // What the page begins with comes along with its code, not after it. A refusal is the page's to show. A pointer that passes over a list
  // asks for no records.
  loader: ({ context: { client }, params: { id }, preload }) => {
    if (preload) return
    void client.prefetchQuery(ask('GET /api/documents/{id}', { path: { id } }))
    void client.prefetchQuery(ask('GET /api/documents/{id}/workflow', { path: { id } }))
  },
  validateSearch: strictly(documentSearch),
  component: lazyRouteComponent(() => import('../../features/documents/document-page.tsx'), 'DocumentPage'),
})

const newVersion = createRoute({
  getParentRoute: () => app,
  path: paths.newVersion,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/documents/new-version-page.tsx'), 'NewVersionPage'),
})

const documentCompare = createRoute({
  getParentRoute: () => app,
  path: paths.documentCompare,
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: strictly(compareSearch),
  component: lazyRouteComponent(() => import('../../features/documents/compare-page.tsx'), 'ComparePage'),
})

export const documentsRoutes = [documents, newDocument, document, newVersion, documentCompare]

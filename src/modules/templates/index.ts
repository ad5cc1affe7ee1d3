import { type Route, route } from '#http'
import { create, details, list, listTemplateVersions, remove, update, versionDetails } from './actions.ts'
import { preview, previewUnsaved, use } from './use.ts'

export { keepMarkdown, requirePdf } from './pdf.ts'
export { seedTemplates } from './seed.ts'

export const routes: Route[] = [
  route('GET', '/api/templates/', list),
  route('POST', '/api/templates/', create, { status: 201 }),
  route('POST', '/api/templates/preview', previewUnsaved),
  route('POST', '/api/templates/use', use),
  route('GET', '/api/templates/:id', details),
  route('PUT', '/api/templates/:id', update),
  route('DELETE', '/api/templates/:id', remove, { status: 204 }),
  route('GET', '/api/templates/:id/versions', listTemplateVersions),
  route('GET', '/api/templates/:id/versions/:version', versionDetails),
  route('POST', '/api/templates/:id/preview', preview),
]

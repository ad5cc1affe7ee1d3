import { route } from '#http'
import {
  createFormTemplate,
  formTemplateDetails,
  formTemplateSchema,
  formTemplateVersion,
  listFormTemplates,
  listFormTemplateVersions,
  previewFormTemplate,
  updateFormTemplate,
} from './actions.ts'

export { beginForm, checkFormData } from './fill.ts'
export { findVersion as findFormVersion } from './queries.ts'
export { FormData } from './schema.ts'
export { seedForms } from './seed.ts'

export const routes = [
  route('GET', '/api/deviations/form-templates/', listFormTemplates),
  route('POST', '/api/deviations/form-templates/', createFormTemplate, { status: 201 }),
  route('POST', '/api/deviations/form-templates/preview', previewFormTemplate),
  route('GET', '/api/deviations/form-templates/:id', formTemplateDetails),
  route('PUT', '/api/deviations/form-templates/:id', updateFormTemplate),
  route('GET', '/api/deviations/form-templates/:id/versions', listFormTemplateVersions),
  route('GET', '/api/deviations/form-templates/:id/versions/:version', formTemplateVersion),
  route('GET', '/api/deviations/form-templates/:id/schema', formTemplateSchema),
]

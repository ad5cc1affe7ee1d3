import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { typesSearch } from '../../features/document-types/search.ts'
import { formSearch, formsSearch, newFormSearch } from '../../features/forms/search.ts'
import { templateSearch, templatesSearch } from '../../features/templates/search.ts'
import { strictly } from '../addresses.ts'
import { paths } from '../paths.ts'
import { admin } from './admin.tsx'
import { idInPath } from './root.tsx'

const documentTypes = createRoute({
  getParentRoute: () => admin,
  path: paths.documentTypes,
  validateSearch: strictly(typesSearch),
  component: lazyRouteComponent(() => import('../../features/document-types/types-page.tsx'), 'DocumentTypesPage'),
})

const newDocumentType = createRoute({
  getParentRoute: () => admin,
  path: paths.newDocumentType,
  component: lazyRouteComponent(() => import('../../features/document-types/type-page.tsx'), 'NewDocumentTypePage'),
})

const documentType = createRoute({
  getParentRoute: () => admin,
  path: paths.documentType,
  params: idInPath,
  component: lazyRouteComponent(() => import('../../features/document-types/type-page.tsx'), 'DocumentTypePage'),
})

const forms = createRoute({
  getParentRoute: () => admin,
  path: paths.forms,
  validateSearch: strictly(formsSearch),
  component: lazyRouteComponent(() => import('../../features/forms/forms-page.tsx'), 'FormsPage'),
})

const newForm = createRoute({
  getParentRoute: () => admin,
  path: paths.newForm,
  validateSearch: strictly(newFormSearch),
  component: lazyRouteComponent(() => import('../../features/forms/form-page.tsx'), 'NewFormPage'),
})

const form = createRoute({
  getParentRoute: () => admin,
  path: paths.form,
  params: idInPath,
  validateSearch: strictly(formSearch),
  component: lazyRouteComponent(() => import('../../features/forms/form-page.tsx'), 'FormPage'),
})

const templates = createRoute({
  getParentRoute: () => admin,
  path: paths.templates,
  validateSearch: strictly(templatesSearch),
  component: lazyRouteComponent(() => import('../../features/templates/templates-page.tsx'), 'TemplatesPage'),
})

const newTemplate = createRoute({
  getParentRoute: () => admin,
  path: paths.newTemplate,
  component: lazyRouteComponent(() => import('../../features/templates/template-page.tsx'), 'NewTemplatePage'),
})

const template = createRoute({
  getParentRoute: () => admin,
  path: paths.template,
  params: idInPath,
  validateSearch: strictly(templateSearch),
  component: lazyRouteComponent(() => import('../../features/templates/template-page.tsx'), 'TemplatePage'),
})

/** By what rules records are made: their kinds, forms and texts. */
export const recordRulesRoutes = [
  ...[documentTypes, newDocumentType, documentType],
  ...[forms, newForm, form],
  ...[templates, newTemplate, template],
]

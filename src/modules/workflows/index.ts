import { route } from '#http'
import {
  createDocumentType,
  createWorkflowTemplate,
  documentTypeDetails,
  listDocumentTypes,
  listWorkflowTemplates,
  updateDocumentType,
  updateWorkflowTemplate,
  workflowTemplateDetails,
} from './actions.ts'

export {
  ApprovalMode,
  ApprovalRule,
  type SignatureType,
  type StateKind,
  type WorkflowDefinition,
} from './definition.ts'
export {
  type Approval,
  type ApprovalOverride,
  advance,
  decide,
  effectiveDefinition,
  fire,
  type Instance,
  type Outcome,
  type Participant,
  type PendingApproval,
  pendingApproval,
  type Step,
  supersede,
  waysFrom,
} from './engine.ts'
export { readTenantFacts } from './people.ts'
export { findDefinition, findTemplate, findType } from './queries.ts'
export { checkDefinition } from './rules.ts'
export { seedWorkflows } from './seed.ts'

export const routes = [
  route('GET', '/api/workflow-templates/', listWorkflowTemplates),
  route('POST', '/api/workflow-templates/', createWorkflowTemplate, { status: 201 }),
  route('GET', '/api/workflow-templates/:id', workflowTemplateDetails),
  route('PUT', '/api/workflow-templates/:id', updateWorkflowTemplate),
  route('GET', '/api/document-types/', listDocumentTypes),
  route('POST', '/api/document-types/', createDocumentType, { status: 201 }),
  route('GET', '/api/document-types/:id', documentTypeDetails),
  route('PUT', '/api/document-types/:id', updateDocumentType),
]

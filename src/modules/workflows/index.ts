import { route } from '#http'
import {
  createDocumentType,
  createWorkflowTemplate,
  documentTypeDetails,
  documentTypeEffects,
  listDocumentTypes,
  listWorkflowTemplates,
  listWorkflowTemplateVersions,
  updateDocumentType,
  updateWorkflowTemplate,
  workflowTemplateDetails,
} from './actions.ts'

export { weaknessesOf } from './approval-rules.ts'
export {
  awaitsInPerson,
  gateFrom,
  giverOf,
  isShortOfPeople,
  mayDecideNow,
  pendingApproval,
  ruleNames,
  superiorsOf,
  unusedDelegations,
} from './approvers.ts'
export {
  type ApprovalGate,
  ApprovalMode,
  ApprovalRule,
  type GatedTransition,
  isGated,
  Names,
  type StateKind,
  sourcesOf,
  stepName,
  transitionLabel,
  WorkflowDefinition,
} from './definition.ts'
export { delegate, takeBack } from './delegate.ts'
export { describeDecision } from './describe.ts'
export {
  advance,
  canSoonBeEffective,
  decide,
  decideFor,
  fire,
  listTransitionsFrom,
  supersede,
  transitionsOpenTo,
  type Withdrawal,
  withdrawApproval,
} from './engine.ts'
export { holdGroups } from './group-queries.ts'
export type {
  Approval,
  ApprovalOverride,
  Contributors,
  Delegation,
  Instance,
  Outcome,
  Participant,
  Step,
  TenantFacts,
} from './instance.ts'
export { nobody, writtenBy } from './instance.ts'
export { shortfallOf } from './minimum.ts'
export { outlook, type RuleOutlook } from './outlook.ts'
export { findShortageToday, namesIn, readTenantFacts, type TenantPeople, withPeople } from './people.ts'
export {
  findDefinition,
  findTemplate,
  findTemplateOfType,
  findType,
  listDefinitions,
  listTypesAdmitting,
} from './queries.ts'
export { type Absences, findShortage, rehearse } from './rehearsal.ts'
export { checkDefinition } from './rules.ts'
export { type DocumentType, TrainingGate, TrainingThreshold } from './schema.ts'
export { seedWorkflows } from './seed.ts'
export { type Counts, effectiveDefinition, isSettled, settleCounts, withCounts } from './terms.ts'

export const routes = [
  route('GET', '/api/workflow-templates/', listWorkflowTemplates),
  route('POST', '/api/workflow-templates/', createWorkflowTemplate, { status: 201 }),
  route('GET', '/api/workflow-templates/:id', workflowTemplateDetails),
  route('PUT', '/api/workflow-templates/:id', updateWorkflowTemplate),
  route('GET', '/api/workflow-templates/:id/versions', listWorkflowTemplateVersions),
  route('GET', '/api/document-types/', listDocumentTypes),
  route('POST', '/api/document-types/', createDocumentType, { status: 201 }),
  route('GET', '/api/document-types/:id', documentTypeDetails),
  route('PUT', '/api/document-types/:id', updateDocumentType),
  route('POST', '/api/document-types/:id/effects', documentTypeEffects),
]

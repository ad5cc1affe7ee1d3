import type { ResourceType } from '#kernel/catalogue.ts'

/** The parts of the product by which people look for actions. */
export const areas = [
  'documents',
  'deviations',
  'capa',
  'training',
  'signatures',
  'files',
  'retention',
  'accounts',
  'access',
  'configuration',
  'audit',
  'notifications',
  'assistant',
  'jobs',
] as const
export type Area = (typeof areas)[number]

/** Each type has an area, or it does not compile. */
const areaOfType: Record<ResourceType, Area> = {
  document: 'documents',
  controlled_copy: 'documents',
  content_template: 'documents',
  deviation: 'deviations',
  capa: 'capa',
  effectiveness_review: 'capa',
  training_program: 'training',
  curriculum: 'training',
  training_assignment: 'training',
  training_record: 'training',
  signature: 'signatures',
  signing_challenge: 'signatures',
  signing_key: 'signatures',
  attachment: 'files',
  file_removal: 'files',
  legal_hold: 'retention',
  disposal: 'retention',
  upload: 'files',
  storage: 'files',
  user: 'accounts',
  role: 'accounts',
  group: 'accounts',
  deputy: 'accounts',
  api_key: 'accounts',
  access_review: 'accounts',
  auth: 'access',
  access: 'access',
  passkey: 'access',
  identity_provider: 'access',
  sso_domain: 'access',
  setup_code: 'configuration',
  migration_batch: 'configuration',
  tenant: 'configuration',
  tenant_export: 'files',
  settings: 'configuration',
  document_type: 'configuration',
  workflow_template: 'configuration',
  form_template: 'configuration',
  configuration_change: 'configuration',
  audit: 'audit',
  audit_review: 'audit',
  notification: 'notifications',
  mail: 'notifications',
  ai_call: 'assistant',
  assistant_settings: 'assistant',
  background_job: 'jobs',
}

export const areaOf = (resource_type: ResourceType): Area => areaOfType[resource_type]

export const typesIn = (wanted: readonly Area[]): string[] =>
  Object.entries(areaOfType).flatMap(([type, area]) => (wanted.includes(area) ? [type] : []))

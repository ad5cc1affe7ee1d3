import { type Static, Type } from 'typebox'
import { maxPattern } from '#kernel/number-pattern.ts'
import {
  Body,
  ChangeFields,
  CommonFields,
  Id,
  Nullable,
  Person,
  Ref,
  Said,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { Names, WorkflowDefinition } from './definition.ts'
import { ApprovalMinimum } from './minimum.ts'

export const WorkflowTemplate = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  version: Type.Integer({ description: 'Counts up with each edit; an approval keeps the version that it began with' }),
  is_builtin: Type.Boolean(),
  is_active: Type.Boolean(),
  definition: WorkflowDefinition,
  ...CommonFields,
})
export type WorkflowTemplate = Static<typeof WorkflowTemplate>

export const WorkflowTemplateDetails = Type.Object({
  ...WorkflowTemplate.properties,
  names: Names,
  warnings: Type.Array(Said, {
    description: 'Warnings about documents that could be left without enough approvers',
  }),
})

export const WorkflowTemplateVersion = Type.Object({
  version: Type.Integer(),
  created_at: Timestamp,
  created_by: Nullable(Person),
  change_reason: Nullable(Type.String()),
  documents_under_way: Type.Integer({
    description: 'How many versions of documents that are not effective yet keep this version of the template',
  }),
  definition: WorkflowDefinition,
  names: Names,
})

export const WorkflowTemplateCreate = Body({
  name: Words(120),
  description: Type.Optional(Text({ maxLength: 2000 })),
  definition: WorkflowDefinition,
})
export type WorkflowTemplateCreate = Static<typeof WorkflowTemplateCreate>

export const WorkflowTemplateUpdate = Body({
  name: Type.Optional(Words(120)),
  description: Type.Optional(Text({ maxLength: 2000 })),
  is_active: Type.Optional(Type.Boolean()),
  definition: Type.Optional(WorkflowDefinition),
  ...ChangeFields,
})
export type WorkflowTemplateUpdate = Static<typeof WorkflowTemplateUpdate>

export const TrainingGate = Type.Enum(['none', 'before_effective', 'before_access', 'before_sign'], {
  description:
    'The training gate: before a version becomes effective, before access to its file, or before approvers sign',
})
export const TrainingThreshold = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: 'For before_effective: the percentage of assigned people who must have completed the training',
})

const Controlled = Type.Boolean({
  description: 'A version becomes effective only with an approval; the default is true',
})

const numberPattern =
  'How new documents of the type are numbered: parts separated by `-`, `.` or `_`, of which `{department}` is the code of the department that an upload names and `{year}` the present year, and the digits last, as in `SOP-{department}-{year}-{0000}`. Each text before the digits is a gapless series. By default the prefix and four digits'

const retention =
  'A version is kept for so many years after it was superseded, or its document became obsolete or was cancelled; null keeps it for ever'

export const DocumentType = Type.Object({
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  number_pattern: Type.String({ description: numberPattern }),
  description: Type.String(),
  workflow_template: Type.Object({ id: Id, name: Type.String() }, { description: 'The default workflow' }),
  workflow_templates: Type.Array(Type.Object({ id: Id, name: Type.String() }), {
    description: 'All workflows that a document of the type may use, the default one first',
  }),
  controlled: Controlled,
  minimum_approval: ApprovalMinimum,
  review_period_months: Nullable(Type.Integer()),
  retention_years: Nullable(Type.Integer({ description: retention })),
  training_gate: TrainingGate,
  training_threshold: TrainingThreshold,
  signing_program_ids: Type.Array(Id, {
    description: 'For before_sign: the training programs in which approvers must have a valid training',
  }),
  is_builtin: Type.Boolean(),
  is_active: Type.Boolean(),
  ...CommonFields,
})
export type DocumentType = Static<typeof DocumentType>

const NextNumber = Type.String({
  description:
    'The number of the next document, unless somebody else takes it first; with the department QA where the pattern has one',
})

export const DocumentTypeDetails = Type.Object({
  ...DocumentType.properties,
  next_number: NextNumber,
})

const typeFields = {
  number_pattern: Type.Optional(Type.String({ maxLength: maxPattern, description: numberPattern })),
  workflow_template_ids: Type.Optional(
    Type.Array(Ref('workflow_template'), {
      maxItems: 50,
      uniqueItems: true,
      description:
        'The workflows that a document may use for a reason, besides the default one, which need not be named',
    }),
  ),
  controlled: Type.Optional(Controlled),
  minimum_approval: Type.Optional(ApprovalMinimum),
  description: Type.Optional(Text({ maxLength: 2000 })),
  review_period_months: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 120 }))),
  retention_years: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 100, description: retention }))),
  training_gate: Type.Optional(TrainingGate),
  training_threshold: Type.Optional(TrainingThreshold),
  signing_program_ids: Type.Optional(Type.Array(Ref('training_program'), { maxItems: 20, uniqueItems: true })),
}
const Prefix = Type.String({
  pattern: '^[A-Z][A-Z0-9]{0,9}$',
  examples: ['SOP'],
  description: 'What the numbers of its documents begin with: SOP for SOP-0001',
})

export const DocumentTypeCreate = Body({
  name: Words(120),
  prefix: Prefix,
  workflow_template_id: Ref('workflow_template'),
  ...typeFields,
})
export type DocumentTypeCreate = Static<typeof DocumentTypeCreate>

export const DocumentTypeUpdate = Body({
  name: Type.Optional(Words(120)),
  workflow_template_id: Type.Optional(Ref('workflow_template')),
  is_active: Type.Optional(Type.Boolean()),
  ...typeFields,
  ...ChangeFields,
})
export type DocumentTypeUpdate = Static<typeof DocumentTypeUpdate>

const Count = (description: string) => Type.Integer({ description })

/** What a change of a document type would mean for the documents that exist. */
export const DocumentTypeEffects = Type.Object({
  documents: Type.Object({
    total: Count('All documents of the type, in any state'),
    under_way: Count('Those with a version that is neither effective nor final'),
    effective: Count('Those with an effective version'),
    own_gate: Count('Those with a training gate of their own'),
  }),
  next_number: Nullable(NextNumber),
  effects: Type.Array(Said, {
    description: 'What the change would do, in sentences; empty if nothing changes for them',
  }),
})

import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import {
  Body,
  ChangeFields,
  CommonFields,
  Id,
  Nullable,
  OneOf,
  Person,
  Ref,
  Text,
  Timestamp,
  Words,
} from '#kernel/schema.ts'
import { Department } from '#modules/documents'

const variableTypes = ['text', 'long_text', 'number', 'date', 'user', 'document', 'select'] as const

const Name = Type.String({
  pattern: '^[a-z][a-z0-9_]{0,59}$',
  examples: ['product_name'],
  description: 'Stands in the body as {{name}}',
})

export const Variable = Type.Object({
  name: Name,
  label: Type.String(),
  type: OneOf(...variableTypes),
  required: Type.Boolean(),
  default: Nullable(Type.String()),
  help: Nullable(Type.String()),
  options: Nullable(Type.Array(Type.String(), { description: 'The options of a select' })),
})
export type Variable = Static<typeof Variable>

const VariableInput = Body({
  name: Name,
  label: Words(200),
  type: OneOf(...variableTypes),
  required: Type.Optional(Type.Boolean({ default: false })),
  default: Type.Optional(Nullable(Text({ maxLength: 20_000, minLength: 1 }))),
  help: Type.Optional(Nullable(Text({ maxLength: 1000 }))),
  options: Type.Optional(Nullable(Type.Array(Words(200), { minItems: 1, maxItems: 100, uniqueItems: true }))),
})
export type VariableInput = Static<typeof VariableInput>

const maxBodyCharacters = 200_000
const BodyText = Type.String({
  minLength: 1,
  maxLength: maxBodyCharacters,
  format: 'words',
  description: 'Markdown with {{name}} for each variable; \\{{ is plain text',
})
const VariableInputs = Type.Array(VariableInput, { maxItems: 200 })

export const TemplateSummary = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  document_type: Nullable(Type.Object({ id: Id, name: Type.String() })),
  version: Type.Integer({ description: 'Counts up with each change of the body or the variables' }),
  is_builtin: Type.Boolean({ description: 'Came with the tenant' }),
  is_active: Type.Boolean({ description: 'false once it was deleted' }),
  ...CommonFields,
})
export type TemplateSummary = Static<typeof TemplateSummary>

export const Template = Type.Object({
  ...TemplateSummary.properties,
  body: Type.String(),
  variables: Type.Array(Variable),
})
export type Template = Static<typeof Template>

export const TemplateVersion = Type.Object({
  id: Id,
  name: Type.String(),
  version: Type.Integer(),
  body: Type.String(),
  variables: Type.Array(Variable),
  change_reason: Nullable(Type.String()),
  created_at: Timestamp,
  created_by: Nullable(Person),
})
export type TemplateVersion = Static<typeof TemplateVersion>

export const TemplateVersionSummary = Type.Object({
  version: Type.Integer(),
  change_reason: Nullable(Type.String()),
  created_at: Timestamp,
  created_by: Nullable(Person),
})
export type TemplateVersionSummary = Static<typeof TemplateVersionSummary>

export const VersionsFilter = Type.Object(PageParams, { additionalProperties: false })

const Category = Words(80)
const Description = Text({ maxLength: 2000 })

export const TemplateCreate = Body({
  name: Words(200),
  description: Type.Optional(Description),
  category: Category,
  document_type_id: Type.Optional(Nullable(Ref('document_type'))),
  body: BodyText,
  variables: Type.Optional(VariableInputs),
})

export const TemplateUpdate = Body({
  name: Type.Optional(Words(200)),
  description: Type.Optional(Description),
  category: Type.Optional(Category),
  document_type_id: Type.Optional(Nullable(Ref('document_type'))),
  body: Type.Optional(BodyText),
  variables: Type.Optional(VariableInputs),
  ...ChangeFields,
  change_reason: Words(2000),
})

export const TemplateFilter = Type.Object(
  {
    ...PageParams,
    q: Type.Optional(Text({ maxLength: 200 })),
    category: Type.Optional(Text({ maxLength: 80 })),
    document_type: Type.Optional(Id),
    is_active: Type.Optional(
      Type.Boolean({ description: 'false: those that were deleted; by default those that were not' }),
    ),
  },
  { additionalProperties: false },
)
export type TemplateFilter = Static<typeof TemplateFilter>

export const VersionParams = Type.Object({
  id: Id,
  version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
})

/** `takeValues` checks each value by the type of its variable. */
const Values = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 200,
  description:
    'Texts by the names of the variables: a user and a document by their ids, a day as 2026-03-01, a number as 0.5',
})
export type Values = Static<typeof Values>

const Title = Words(500)

export const PreviewSaved = Body({ variables: Type.Optional(Values), title: Type.Optional(Title) })
export const PreviewUnsaved = Body({
  body: BodyText,
  variables: Type.Optional(VariableInputs),
  values: Type.Optional(Values),
  title: Type.Optional(Title),
})
export const Preview = Type.Object({
  content: Type.String({ description: 'Markdown' }),
  unresolved: Type.Array(Type.String(), {
    description: 'Required variables without a value; their labels stand in their places',
  }),
})

/** TMPL-01. */
export const TemplateUse = Body({
  template_id: Ref('content_template'),
  variables: Type.Optional(Values),
  format: Type.Optional(OneOf('markdown', 'pdf')),
  create_document: Type.Optional(
    Type.Boolean({ description: 'Creates a draft with the PDF as its file; also needs `documents.create`' }),
  ),
  title: Type.Optional(Title),
  document_type_id: Type.Optional(Ref('document_type')),
  department: Type.Optional(Department),
})
export type TemplateUse = Static<typeof TemplateUse>

export const Used = Type.Object({
  template_id: Id,
  version: Type.Integer({ description: 'The version of the template' }),
  content: Type.String({ description: 'Markdown' }),
  document: Nullable(
    Type.Object({
      id: Id,
      number: Type.String(),
      title: Type.String(),
      version: Type.String(),
      status: Type.String(),
    }),
  ),
})
export type Used = Static<typeof Used>

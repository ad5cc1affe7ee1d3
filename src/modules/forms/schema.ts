import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { Body, ChangeFields, CommonFields, Id, Nullable, Person, Text, Timestamp, Words } from '#kernel/schema.ts'
import { Sections } from './definition.ts'

export const FormTemplateSummary = Type.Object({
  id: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  version: Type.Integer({ description: 'Counts up with each change of the sections' }),
  is_active: Type.Boolean({ description: 'New deviations can use it' }),
  ...CommonFields,
})
export type FormTemplateSummary = Static<typeof FormTemplateSummary>

export const ListedFormTemplate = Type.Object({
  ...FormTemplateSummary.properties,
  is_default: Type.Boolean({ description: 'Offered first when somebody reports a deviation' }),
  deviation_count: Type.Integer({ description: 'Deviations that were reported with the form, in any of its versions' }),
})
export type ListedFormTemplate = Static<typeof ListedFormTemplate>

export const FormTemplate = Type.Object({ ...FormTemplateSummary.properties, sections: Sections })
export type FormTemplate = Static<typeof FormTemplate>

export const FormTemplateVersion = Type.Object({
  id: Id,
  name: Type.String(),
  description: Nullable(Type.String()),
  version: Type.Integer(),
  sections: Sections,
  change_reason: Nullable(Type.String()),
  created_at: Timestamp,
  created_by: Nullable(Person),
})
export type FormTemplateVersion = Static<typeof FormTemplateVersion>

export const FormVersionSummary = Type.Object({
  version: Type.Integer(),
  change_reason: Nullable(Type.String()),
  created_at: Timestamp,
  created_by: Nullable(Person),
})
export type FormVersionSummary = Static<typeof FormVersionSummary>

export const VersionsFilter = Type.Object(PageParams, { additionalProperties: false })

/** A form as it is being written. */
export const FormPreview = Body({ name: Type.Optional(Words(120)), sections: Sections })

export const FormTemplateCreate = Body({
  name: Words(120),
  description: Type.Optional(Nullable(Text({ maxLength: 2000 }))),
  sections: Sections,
})
export type FormTemplateCreate = Static<typeof FormTemplateCreate>

export const FormTemplateUpdate = Body({
  name: Type.Optional(Words(120)),
  description: Type.Optional(Nullable(Text({ maxLength: 2000 }))),
  is_active: Type.Optional(Type.Boolean()),
  sections: Type.Optional(Sections),
  ...ChangeFields,
})

const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
export const VersionParams = Type.Object({ id: Id, version: Version })

export const SchemaQuery = Type.Object(
  {
    version: Type.Optional(Version),
    is_complete: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'false: before the record is stored, when required files and images cannot be attached yet',
      }),
    ),
  },
  { additionalProperties: false },
)

/** A JSON Schema as free-form JSON. */
export const JsonSchema = Type.Record(Type.String(), Type.Unknown())

/** The body field `form_data`, which `checkFormData` checks by its form template. */
export const FormData = Type.Record(Type.String(), Type.Unknown(), {
  maxProperties: 500,
  description: 'Flat, by the keys of the fields of the form template',
})
export type FormData = Static<typeof FormData>

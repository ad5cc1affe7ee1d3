import { type Static, Type } from 'typebox'
import { languages } from '#kernel/message.ts'
import { Body, Nullable, OneOf } from '#kernel/schema.ts'

export { languages } from '#kernel/message.ts'

/** `system`: as the machine of the reader has it. */
export const themes = ['system', 'light', 'dark'] as const

const remembered = (what: string) =>
  Type.Record(Type.String(), Type.Unknown(), { maxProperties: 200, description: what })

const fields = {
  language: OneOf(...languages),
  theme: OneOf(...themes),
  views: remembered('Saved views of lists, as the pages store them'),
  columns: remembered('Columns of tables, as the pages store them'),
  layout: remembered('What else the pages remember, such as folded parts'),
}

/** A field is null until it is chosen. */
export const UserPreferences = Type.Object({
  language: Nullable(fields.language),
  theme: Nullable(fields.theme),
  views: Nullable(fields.views),
  columns: Nullable(fields.columns),
  layout: Nullable(fields.layout),
})
export type UserPreferences = Static<typeof UserPreferences>

export const UserPreferencesUpdate = Body({
  language: Type.Optional(Nullable(fields.language)),
  theme: Type.Optional(Nullable(fields.theme)),
  views: Type.Optional(Nullable(fields.views)),
  columns: Type.Optional(Nullable(fields.columns)),
  layout: Type.Optional(Nullable(fields.layout)),
})

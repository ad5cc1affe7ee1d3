import { type Static, Type } from 'typebox'
import { Id, Nullable, OneOf, Ref, Said, Text, Timestamp } from '#kernel/schema.ts'
import { relations } from '#modules/casework'
import { Category, Severity, State } from '#modules/deviations'

export const SimilarFilter = Type.Object(
  {
    q: Type.Optional(Text({ maxLength: 20_000, minLength: 1 })),
    deviation_id: Type.Optional(Ref('deviation')),
    severity: Type.Optional(Severity),
    category: Type.Optional(Category),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
  },
  { additionalProperties: false },
)
export type SimilarFilter = Static<typeof SimilarFilter>

export const SimilarDeviation = Type.Object({
  id: Id,
  number: Type.String(),
  title: Type.String(),
  severity: Severity,
  status: State,
  category: Nullable(Category),
  score: Type.Number({ minimum: 0, maximum: 1, description: '1 is alike in every compared part' }),
  matched: Type.Array(OneOf('text', 'semantic'), {
    description: '`text`: by words, titles, items and categories; `semantic`: by meaning',
  }),
  why: Type.Array(Said, { description: 'Reasons: what the two share' }),
  root_cause: Nullable(Type.Object({ category: Type.String(), summary: Type.String() })),
  capa_ids: Type.Array(Id, { description: 'Empty if the caller may not read CAPAs' }),
  detected_at: Timestamp,
  closed_at: Nullable(Timestamp),
  linked_as: Nullable(
    Type.Enum([...relations.deviation_deviations], {
      description: 'The existing link between the two; `recurrence`: the later one is a recurrence of the earlier one',
    }),
  ),
})
export type SimilarDeviation = Static<typeof SimilarDeviation>

export const SimilarDeviations = Type.Object({
  method: OneOf('lexical', 'hybrid'),
  items: Type.Array(SimilarDeviation),
})

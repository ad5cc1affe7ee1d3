import { type Static, Type } from 'typebox'
import { PageParams } from '#kernel/paging.ts'
import { DayOrMoment, Id, Nullable, OneOf, Page, Text, Words } from '#kernel/schema.ts'

const Category = Text({ maxLength: 200, minLength: 1 })
const Status = Text({ maxLength: 40, minLength: 1 })
const some = { minItems: 1, maxItems: 100 }
const dates = {
  date_from: Type.Optional(DayOrMoment),
  date_to: Type.Optional(DayOrMoment),
}

/** The JSON in `filters`. Any of several values matches. */
export const FilterObject = Type.Object(
  {
    document_type: Type.Optional(Type.Union([Id, Type.Array(Id, some)])),
    category: Type.Optional(Type.Union([Category, Type.Array(Category, some)])),
    status: Type.Optional(Type.Union([Status, Type.Array(Status, some)])),
    ...dates,
  },
  { additionalProperties: false },
)
export type FilterObject = Static<typeof FilterObject>

export const SearchQuery = Type.Object(
  {
    q: Words(500),
    filters: Type.Optional(
      Text({
        maxLength: 10_000,
      }),
    ),
    document_type: Type.Optional(Type.Array(Id, some)),
    category: Type.Optional(Type.Array(Category, some)),
    status: Type.Optional(Type.Array(Status, some)),
    ...dates,
    page: PageParams.page,
    page_size: PageParams.page_size,
    sort: PageParams.sort,
  },
  { additionalProperties: false },
)
export type SearchQuery = Static<typeof SearchQuery>

export const FoundDocument = Type.Object({
  document_id: Id,
  number: Type.String(),
  title: Type.String(),
  version: Type.String(),
  status: Type.String(),
  document_type: Type.Object({ id: Id, name: Type.String() }),
  category: Nullable(Type.String()),
  snippet: Nullable(
    Type.String({
      description:
        'HTML: the best piece of the text, with the found words in <mark>. Null if there is no text, or the caller needs a training to read it',
    }),
  ),
  page: Nullable(Type.Integer({ description: 'The page of the snippet' })),
  heading: Nullable(Type.String({ description: 'The heading above the snippet' })),
  score: Type.Number({ minimum: 0, maximum: 1, description: '1 is the first place in every way that was searched' }),
  matched: Type.Array(OneOf('text', 'semantic'), {
    description: 'Found by its words or other names of the same, by its meaning',
  }),
})
export type FoundDocument = Static<typeof FoundDocument>

export const SearchAnswer = Type.Object({
  ...Page(FoundDocument).properties,
  is_total_exact: Type.Boolean({ description: 'False if more versions have all words than `total` says' }),
  mode: Type.Enum(['hybrid', 'text'], {
    description:
      '`hybrid`: by words and by meaning; `text`: by words alone, because no model that knows meaning is configured, or it does not answer',
  }),
})

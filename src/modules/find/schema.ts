import { type Static, Type } from 'typebox'
import { DisposalNote } from '#action/file.ts'
import { Id, OneOf, Words } from '#kernel/schema.ts'

export const findable = ['document', 'deviation', 'capa', 'training_program', 'user'] as const
export type Findable = (typeof findable)[number]

export const FindQuery = Type.Object({ q: Words(100) }, { additionalProperties: false })

const Found = Type.Object({
  kind: OneOf(...findable),
  id: Id,
  number: Type.String({ description: 'The number of the record; of a person, the username' }),
  title: Type.String({ description: 'Its title; of a person, the full name, or else the username' }),
  status: Type.String({ description: 'The state of the record; of a person, `active` or `inactive`' }),
  disposal: Type.Optional(DisposalNote),
})

export const FindAnswer = Type.Object({
  items: Type.Array(Found, { maxItems: 10 }),
  kinds: Type.Array(OneOf(...findable), { description: 'The kinds of records that the caller may read' }),
})
export type FindAnswer = Static<typeof FindAnswer>

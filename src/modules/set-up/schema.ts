import { type Static, Type } from 'typebox'
import { Id, Nullable, OneOf, Reason, Timestamp } from '#kernel/schema.ts'

const isDone = Type.Boolean({ description: 'Nothing is left of this step' })

const TypeInSetUp = Type.Object({
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  is_builtin: Type.Boolean(),
  workflow_template: Type.Object({ id: Id, name: Type.String() }),
  issue: Nullable({
    ...Reason,
    description: 'Why no document of the type can become effective with the people of today; null where one can',
  }),
})

/** How far a company is set up, from its records as they are now. */
export const SetUp = Type.Object({
  company: Type.Object({
    name: Type.String(),
    time_zone: Type.String(),
    language: Type.String(),
    is_done: { ...isDone, description: 'The time zone and the language were chosen' },
  }),
  people: Type.Object({
    active: Type.Integer({ description: 'People who may log in, with those who were invited' }),
    invited: Type.Integer({ description: 'Those of them who have not logged in yet' }),
    has_provider: Type.Boolean({ description: 'A provider for single sign-on is active' }),
    is_done: { ...isDone, description: 'There are three people or more, or a provider brings them' },
  }),
  roles: Type.Object({
    items: Type.Array(Type.Object({ id: Id, name: Type.String(), description: Type.String(), people: Type.Integer() })),
    is_done: { ...isDone, description: 'A document of each active type can become effective with the people of today' },
  }),
  document_types: Type.Object({
    items: Type.Array(TypeInSetUp),
    is_done: { ...isDone, description: 'A type was made or changed, or a document was made by one' },
  }),
  mail: Type.Object({
    is_set_up: Type.Boolean({ description: 'The installation sends e-mail' }),
    last_test: Nullable(
      Type.Object({ tested_at: Timestamp, outcome: OneOf('success', 'failed'), problem: Nullable(Type.String()) }),
    ),
    is_done: { ...isDone, description: 'The mail server has taken an e-mail' },
  }),
  documents: Type.Object({
    uploaded: Type.Integer(),
    effective: Type.Integer(),
    is_done: { ...isDone, description: 'There is a document' },
  }),
})
export type SetUp = Static<typeof SetUp>

export const TestMail = Type.Object({
  to: Type.String({ description: 'The e-mail address of the caller' }),
  is_sent: Type.Boolean({ description: 'The mail server has taken it' }),
  problem: Nullable(Type.String({ description: 'In words of the mail server, for whoever looks after it' })),
})
export type TestMail = Static<typeof TestMail>

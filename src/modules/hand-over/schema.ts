import { Type } from 'typebox'
import { Body, ChangeFields, Day, Id, Nullable, OneOf, Person, Ref, Words } from '#kernel/schema.ts'
import { workKinds } from '#modules/accounts'

const Item = Type.Object({
  kind: OneOf(...workKinds),
  id: Id,
  number: Type.String({ description: 'The number of the record' }),
  title: Type.String(),
  status: Type.String(),
  due_date: Nullable(Day),
  link: Type.String({ description: 'The link to the item' }),
})

const Count = Type.Integer({ minimum: 0 })

export const OpenWork = Type.Object({
  user: Person,
  is_active: Type.Boolean(),
  items: Type.Array(Item),
  counts: Type.Object(
    Object.fromEntries(workKinds.map(kind => [kind, Count])) as Record<(typeof workKinds)[number], typeof Count>,
  ),
  takers: Type.Array(
    Type.Object({
      kind: OneOf(...workKinds),
      person: Nullable({ ...Person, description: 'null where nobody may do such work, so that it stays' }),
    }),
    {
      description:
        'The person who would take the first open item of each kind: `successor_id`, or else a person with `hand_over_role`. A record may still refuse that person',
    },
  ),
})

export const OpenWorkFilter = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'At most so many items of each kind' }),
    ),
    successor_id: Type.Optional({ ...Ref('user'), description: 'For `takers`: as it would be handed over to them' }),
  },
  { additionalProperties: false },
)

export const HandOverRequest = Body({
  successor_id: Type.Optional({
    ...Ref('user'),
    description: 'This person takes the work, as far as they may do it; the rest goes to people with `hand_over_role`',
  }),
  change_reason: Words(2000),
  revision: ChangeFields.revision,
})

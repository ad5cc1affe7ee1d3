// What was used before in a field of free text, for the people who fill it in: otherwise each tenant has five spellings.
import { type Static, type TSchema, Type } from 'typebox'
import type { Permission } from '#kernel/catalogue.ts'
import { OneOf, Text } from '#kernel/schema.ts'
import { type ActionContext, query } from './definitions.ts'

const mostSuggested = 20

const Values = Type.Object({
  items: Type.Array(
    Type.Object({ value: Type.String(), count: Type.Integer({ minimum: 1, description: 'How many records have it' }) }),
    { maxItems: mostSuggested },
  ),
})

interface ValuesDefinition<F extends string> {
  /** The field in words, in the plural. */
  of: string
  permission: Permission
  fields: readonly F[]
  /** Only values of records that the actor may read, the most frequent first. */
  list(
    context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
    field: F,
    part: { q: string; limit: number },
  ): Promise<{ value: string | number; count: number }[]>
}

export function valuesQuery<const F extends string>({ of, permission, fields, list }: ValuesDefinition<F>) {
  const Query = Type.Object(
    {
      field: OneOf(...(fields as readonly string[])),
      q: Type.Optional(Text({ maxLength: 200, description: 'A part of the value, in any case' })),
    },
    { additionalProperties: false },
  )
  return query({
    summary: `List what was used before in a field of ${of}`,
    description: `The ${mostSuggested} most frequent values among the records that the caller may read, the most frequent first.`,
    permission,
    input: { query: Query as TSchema as typeof Query },
    response: Values,
    async run(context, input): Promise<Static<typeof Values>> {
      const { field, q = '' } = input.query as Static<typeof Query>
      const found = await list(context, field as F, { q, limit: mostSuggested })
      return { items: found.map(({ value, count }) => ({ value: String(value), count })) }
    },
  })
}

import { type TObject, type TSchema, Type } from 'typebox'
import type { AnyAction } from '#action'
import { limits, type PageRequest, parseSort } from '#kernel/paging.ts'
import { Text } from '#kernel/schema.ts'

/** No defaults: without these parameters the answer is the whole array, as ever (SVC-10). */
const ArrayParams = {
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  sort: Type.Optional(Text({ maxLength: 100 })),
}

type Schema = TSchema & { type?: string; anyOf?: Schema[]; items?: TObject }

const isScalar = ({ type, anyOf }: Schema): boolean =>
  anyOf ? anyOf.every(isScalar) : type !== 'object' && type !== 'array'

type Scalar = string | number | boolean | null | undefined
type Item = Record<string, Scalar>

/** Empty values come last in ascending order, as PostgreSQL has them in the other lists. */
function compare(a: Scalar, b: Scalar): number {
  if (a === b) return 0
  if (a === null || a === undefined) return 1
  if (b === null || b === undefined) return -1
  return a < b ? -1 : 1
}

/** A GET that answers an array takes `page`, `page_size` and `sort` as lists do (SVC-04); its arrays are short, so they are read whole. */
export function withArrayParams(action: AnyAction): AnyAction {
  const { type, items } = action.response as Schema
  if (type !== 'array' || !items?.properties) return action
  const sortable = Object.entries(items.properties).flatMap(([name, each]) => (isScalar(each as Schema) ? [name] : []))
  const properties = (action.input.query as TObject | undefined)?.properties
  return {
    ...action,
    input: { ...action.input, query: Type.Object({ ...properties, ...ArrayParams }, { additionalProperties: false }) },
    async run(context, { query, ...input }) {
      const { page, page_size, sort, ...asked } = query as PageRequest
      // Refused before the work.
      const order = sort === undefined ? undefined : parseSort(sort, sortable, { field: 'id', direction: 'asc' })
      const all = (await action.run(context, { ...input, ...(properties && { query: asked }) })) as Item[]
      const way = order?.direction === 'desc' ? -1 : 1
      const sorted = order ? all.toSorted((a, b) => way * compare(a[order.field], b[order.field])) : all
      if (page === undefined && page_size === undefined) return sorted
      const { limit, offset } = limits({ ...(page && { page }), ...(page_size && { page_size }) })
      return sorted.slice(offset, offset + limit)
    },
  }
}

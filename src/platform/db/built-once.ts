import type { CompiledQuery, QueryExecutorProvider } from 'kysely'
import type { Tx } from './database.ts'

/** A statement of the query builder, or one written as `sql`. */
interface Buildable<R> {
  compile(provider: QueryExecutorProvider): CompiledQuery<R>
}

/** A placeholder of a value while the statement is built. */
class Place {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * Builds a frequent statement once, because building it takes longer than everything else that a read does in this process. `build` must
 * not look at the values: a decision by one of them would hold for all calls.
 */
export function builtOnce<V extends object, R>(build: (tx: Tx, values: V) => Buildable<R>) {
  let built: CompiledQuery<R> | undefined
  return async (tx: Tx, values: V): Promise<R[]> => {
    built ??= buildOnce(tx, build)
    const parameters = built.parameters.map(each => (each instanceof Place ? values[each.name as keyof V] : each))
    const { rows } = await tx.executeQuery<R>({ ...built, parameters })
    return rows
  }
}

/**
 * Builds one statement for each variant, of which there are few. `way` holds everything that decides about the statement, and the values
 * the rest.
 */
export function builtForEach<W extends object, V extends object, R>(
  build: (tx: Tx, way: W, values: V) => Buildable<R>,
) {
  const known = new Map<string, ReturnType<typeof builtOnce<V, R>>>()
  return (tx: Tx, way: W, values: V): Promise<R[]> => {
    const key = JSON.stringify(way)
    const found = known.get(key) ?? builtOnce<V, R>((first, places) => build(first, way, places))
    known.set(key, found)
    return found(tx, values)
  }
}

function buildOnce<V extends object, R>(tx: Tx, build: (tx: Tx, values: V) => Buildable<R>): CompiledQuery<R> {
  const places = new Map<PropertyKey, Place>()
  const values = new Proxy({} as V, {
    get(_, name) {
      const place = new Place(String(name))
      places.set(name, place)
      return place
    },
  })
  const built = build(tx, values).compile(tx)
  for (const place of places.values())
    if (!built.parameters.includes(place)) throw new Error(`${place.name} is looked at, and not put into the statement`)
  return built
}

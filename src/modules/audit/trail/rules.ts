export type Changes = Record<string, { from: unknown; to: unknown }>

/** Fields that every change touches; the entry itself has the person and the time. */
const unsaid = new Set(['updated_at', 'updated_by', 'created_at', 'created_by'])

/**
 * The old and new value of each changed field. A new record has every field with a value, a deleted one every field that had one. Values
 * are in the form of the API, so that the trail and the record show the same.
 */
export function changesBetween(before: object | undefined, after: object | undefined): Changes {
  const [from, to] = [before ?? {}, after ?? {}] as Record<string, unknown>[]
  const changes: Changes = {}
  for (const field of new Set([...Object.keys(from!), ...Object.keys(to!)])) {
    const change = { from: from![field] ?? null, to: to![field] ?? null }
    if (!unsaid.has(field) && JSON.stringify(change.from) !== JSON.stringify(change.to)) changes[field] = change
  }
  return changes
}

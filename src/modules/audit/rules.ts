export type Changes = Record<string, { from: unknown; to: unknown }>

/** Fields that every change changes, and that say nothing: who and when are the entry's own. */
const unsaid = new Set(['updated_at', 'updated_by', 'created_at', 'created_by'])

/**
 * Field by field, what was and what is. Of a new record each field that has a value; of a record that is gone each that had one.
 * Both sides are as they go over the wire, so that a reader of the trail and a reader of the record see the same words.
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

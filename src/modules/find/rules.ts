import type { NamedRecord } from '#platform/db/names.ts'
import type { Findable } from './schema.ts'

export interface Found extends NamedRecord {
  kind: Findable
}

/** The nearest of all kinds, each of which is in order. Equally near ones take turns, so that a kind with many does not hide the others. */
export function foremost(found: readonly (readonly Found[])[], limit: number): Found[] {
  const taken = found.flatMap((ofKind, kind) => {
    const before = new Map<number, number>()
    return ofKind.map(each => {
      const turn = before.get(each.place) ?? 0
      before.set(each.place, turn + 1)
      return { each, turn, kind }
    })
  })
  return taken
    .sort((a, b) => a.each.place - b.each.place || a.turn - b.turn || a.kind - b.kind)
    .slice(0, limit)
    .map(({ each }) => each)
}

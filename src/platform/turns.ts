/**
 * A queue that serves its lanes in turn, so that a long lane delays another one by one piece of work and not by its length. When it is
 * full, a newcomer takes the place of the last in the longest lane, unless its own lane is as long.
 */
export function openTurns<T>({ most, most_per_lane }: { most: number; most_per_lane: number }) {
  // The lane that was served longest ago comes first.
  const lanes = new Map<number | string, T[]>()
  let length = 0

  const longest = () => [...lanes].reduce((one, other) => (other[1].length > one[1].length ? other : one))

  function removeFrom(lane: number | string, items: T[], item: T | undefined) {
    length -= 1
    if (items.length === 0) lanes.delete(lane)
    return item
  }

  return {
    /** Returns the item that has no place: the new one, or the one whose place it took. */
    push(lane: number | string, item: T): T | undefined {
      const own = lanes.get(lane)?.length ?? 0
      if (own >= most_per_lane || most === 0) return item
      let displaced: T | undefined
      if (length >= most) {
        const [name, items] = longest()
        if (items.length <= own + 1) return item
        displaced = removeFrom(name, items, items.pop())
      }
      const items = lanes.get(lane)
      if (items) items.push(item)
      else lanes.set(lane, [item])
      length += 1
      return displaced
    },
    shift(): T | undefined {
      const [first] = lanes
      if (!first) return undefined
      const [lane, items] = first
      lanes.delete(lane)
      lanes.set(lane, items)
      return removeFrom(lane, items, items.shift())
    },
  }
}

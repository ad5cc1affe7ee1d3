/** Where the keyboard is: row 0 is the first person, column 0 the first program. -1 stands for the heads. */
export interface Place {
  row: number
  column: number
}

export interface Span {
  first: number
  /** One after the last. */
  end: number
}

/** Items come and go by so many, so that not each step of a scroll draws anew. */
const block = 4

/** Which of equally large items are in sight, with some beyond, so that nothing is blank while it is scrolled. */
export function spanOf(scrolled: number, sight: number, size: number, count: number, beyond: number): Span {
  const first = Math.floor(scrolled / size) - beyond
  const end = Math.ceil((scrolled + sight) / size) + beyond
  return { first: Math.max(0, Math.floor(first / block) * block), end: Math.min(count, Math.ceil(end / block) * block) }
}

/** The pages of the list that hold these rows; the service counts them from 1. */
export function pagesOf({ first, end }: Span, page_size: number): number[] {
  if (end <= first) return []
  const from = Math.floor(first / page_size) + 1
  const to = Math.floor((end - 1) / page_size) + 1
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** Where a key leads, as in every grid; undefined for a key that means nothing here. */
export function placeAfter(
  key: string,
  isWithControl: boolean,
  { row, column }: Place,
  { rows, columns, page }: { rows: number; columns: number; page: number },
): Place | undefined {
  const at = (nextRow: number, nextColumn: number): Place => ({
    row: Math.max(0, Math.min(rows - 1, nextRow)),
    column: Math.max(-1, Math.min(columns - 1, nextColumn)),
  })
  switch (key) {
    case 'ArrowUp':
      return at(row - 1, column)
    case 'ArrowDown':
      return at(row + 1, column)
    case 'ArrowLeft':
      return at(row, column - 1)
    case 'ArrowRight':
      return at(row, column + 1)
    case 'PageUp':
      return at(row - page, column)
    case 'PageDown':
      return at(row + page, column)
    case 'Home':
      return at(isWithControl ? 0 : row, -1)
    case 'End':
      return at(isWithControl ? rows - 1 : row, columns - 1)
    default:
      return undefined
  }
}

/** How far a scroller has to go so that an item is wholly in sight, beside a head that covers its beginning. */
export function scrollTo(scrolled: number, sight: number, start: number, size: number): number {
  if (start < scrolled) return start
  if (start + size > scrolled + sight) return start + size - sight
  return scrolled
}

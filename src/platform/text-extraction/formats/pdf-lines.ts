/** A piece of text that a PDF places: some letters, a word, or a line. */
export interface Piece {
  text: string
  /** Scale, rotation and place. */
  transform: readonly number[]
  width: number
  font: string
  isRightToLeft: boolean
  endsLine: boolean
}

export interface Line {
  text: string
  left: number
  right: number
  /** The baseline, from the bottom of the page. */
  y: number
  /** The size of most of its letters. */
  size: number
  font: string
  /** The words are far apart, as in a row of a table. */
  isSpread: boolean
}

interface Placed extends Piece {
  x: number
  y: number
  size: number
}

/** Shares of the font size. */
const sameLine = 0.45
const blankFrom = 0.15
const spreadFrom = 0.6
const stepsBack = 1

/** The lines of a page in reading order. */
export function linesOf(pieces: readonly Piece[]): Line[] {
  const lines: Placed[][] = []
  let line: Placed[] = []
  const end = () => {
    if (line.some(({ text }) => /\S/.test(text))) lines.push(line)
    line = []
  }
  for (const piece of pieces) {
    const placed = place(piece)
    if (placed && placed.text !== '') {
      const before = line.at(-1)
      if (before && !continues(before, placed)) end()
      line.push(placed)
    }
    if (piece.endsLine) end()
  }
  end()
  return inOrder(lines.map(joined))
}

/** The piece turned upright; undefined if it is slanted like a watermark. */
function place(piece: Piece): Placed | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = piece.transform
  const size = Math.hypot(c, d)
  if (!Number.isFinite(size + e + f) || size === 0) return undefined
  const isLevel = Math.abs(b) < 0.1 * Math.abs(a)
  const isUpright = Math.abs(a) < 0.1 * Math.abs(b)
  if (isLevel) return { ...piece, x: a < 0 ? -e : e, y: a < 0 ? -f : f, size }
  if (isUpright) return { ...piece, x: b > 0 ? f : -f, y: b > 0 ? -e : e, size }
  return undefined
}

function continues(before: Placed, next: Placed) {
  const size = Math.max(before.size, next.size)
  if (Math.abs(before.y - next.y) > sameLine * size) return false
  return next.isRightToLeft || next.x > before.x + before.width - stepsBack * size
}

function joined(pieces: Placed[]): Line {
  let text = ''
  let isSpread = false
  let before: Placed | undefined
  const letters = new Map<string, { count: number; size: number; font: string }>()
  for (const piece of pieces) {
    const gap = before ? piece.x - (before.x + before.width) : 0
    if (gap > blankFrom * piece.size && !/\s$/.test(text)) text += ' '
    text += piece.text
    if (piece.text.trim() === '') continue
    isSpread ||= gap > spreadFrom * piece.size
    before = piece
    const look = `${piece.font} ${piece.size}`
    const count = (letters.get(look)?.count ?? 0) + piece.text.trim().length
    letters.set(look, { count, size: piece.size, font: piece.font })
  }
  const { size, font } = [...letters.values()].reduce((most, each) => (each.count > most.count ? each : most))
  return {
    text: text.replace(/\s+/g, ' ').trim(),
    left: Math.min(...pieces.map(({ x }) => x)),
    right: Math.max(...pieces.map(({ x, width }) => x + width)),
    y: pieces[0]!.y,
    size,
    font,
    isSpread,
  }
}

const maxSortedLines = 2_000

/** Most programs write a page in reading order, column after column. For the others, blocks are found by the gaps between them. */
function inOrder(lines: Line[]): Line[] {
  const jumps = lines.filter((line, at) => at > 0 && line.y > lines[at - 1]!.y + line.size).length
  const isInOrder = jumps <= Math.max(2, lines.length / 10)
  return isInOrder || lines.length > maxSortedLines ? lines : cut(lines)
}

function cut(lines: Line[]): Line[] {
  if (lines.length < 2) return lines
  const size = Math.max(...lines.map(line => line.size))
  const columns = split(lines, ({ left, right }) => [left, right], 1.5 * size)
  if (columns?.every(({ length }) => length > 2)) return columns.flatMap(cut)
  const rows = split(lines, line => [-line.y - line.size, -line.y], 0.8 * size)
  if (rows) return rows.flatMap(cut)
  return lines.toSorted((a, b) => (Math.abs(a.y - b.y) > sameLine * size ? b.y - a.y : a.left - b.left))
}

/** Splits lines at the widest gap along one direction that no line crosses. */
function split(lines: Line[], extent: (line: Line) => [from: number, to: number], least: number) {
  const sorted = lines.map(line => ({ line, extent: extent(line) })).toSorted((a, b) => a.extent[0] - b.extent[0])
  let end = Number.NEGATIVE_INFINITY
  let widest = { room: least, at: 0 }
  for (const [at, each] of sorted.entries()) {
    const room = each.extent[0] - end
    if (at > 0 && room > widest.room) widest = { room, at }
    end = Math.max(end, each.extent[1])
  }
  if (widest.at === 0) return undefined
  const both = sorted.map(({ line }) => line)
  return [both.slice(0, widest.at), both.slice(widest.at)]
}

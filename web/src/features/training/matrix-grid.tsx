import { type KeyboardEvent, memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { nameOf } from '../../ui/person.tsx'
import { useFormat } from '../../words/index.ts'
import styles from './matrix-grid.module.css'
import marks from './matrix-marks.module.css'
import { type Place, placeAfter, type Span, scrollTo, spanOf } from './matrix-window.ts'
import type { Cell, Matrix, MatrixRow } from './use-matrix.ts'
import { useTrainingWords } from './words.ts'

type Program = Matrix['programs'][number]

interface Props {
  label: string
  programs: Program[]
  total: number
  rowAt: (index: number) => MatrixRow | undefined
  /** Which people are in sight. */
  onSight: (rows: Span) => void
  onOpen: (cell: Cell, row: MatrixRow, program: Program) => void
  onOpenPerson: (row: MatrixRow) => void
  isOld: boolean
}

/** With a finger, what is pressed is larger; the look of the cells goes by the same tokens. */
const isCoarse = matchMedia('(pointer: coarse)').matches
const cellSize = isCoarse ? 44 : 32
const columnSize = isCoarse ? 44 : 36
const headHeight = 96
const beyond = 4

interface View {
  rows: Span
  columns: Span
  width: number
  height: number
}
const none: Span = { first: 0, end: 0 }
const isSame = (a: View, b: View) =>
  a.rows.first === b.rows.first &&
  a.rows.end === b.rows.end &&
  a.columns.first === b.columns.first &&
  a.columns.end === b.columns.end &&
  a.width === b.width &&
  a.height === b.height

const nameWidthOf = (width: number) => (width < 600 ? 140 : 240)

/**
 * People down, programs across. Only what is in sight is drawn, both ways; both heads stay. It is a grid of its own, because a table of the
 * browser would lay out all of its cells: a reader is told of how many rows and columns there are, and which one a cell stands in.
 */
export function MatrixGrid({ label, programs, total, rowAt, onSight, onOpen, onOpenPerson, isOld }: Props) {
  const inWords = useInWords()
  const scroller = useRef<HTMLDivElement>(null)
  const count = programs.length
  const [view, setView] = useState<View>({ rows: none, columns: none, width: 0, height: 0 })
  const [place, setPlace] = useState<Place>({ row: 0, column: -1 })
  // The keyboard's place is focused once it is drawn, but never before somebody is here.
  const wantsFocus = useRef(false)
  const nameWidth = nameWidthOf(view.width)

  const look = useCallback(() => {
    const { scrollLeft, scrollTop, clientWidth: width, clientHeight: height } = scroller.current!
    const next: View = {
      rows: spanOf(scrollTop, Math.max(0, height - headHeight), cellSize, total, beyond),
      columns: spanOf(scrollLeft, Math.max(0, width - nameWidthOf(width)), columnSize, count, beyond),
      width,
      height,
    }
    // Most steps of a scroll change nothing of what is drawn.
    setView(before => (isSame(before, next) ? before : next))
  }, [total, count])
  useLayoutEffect(() => {
    const observer = new ResizeObserver(look)
    observer.observe(scroller.current!)
    look()
    return () => observer.disconnect()
  }, [look])

  const { rows, columns } = view
  // biome-ignore lint/correctness/useExhaustiveDependencies: said when other rows come into sight
  useEffect(() => onSight(rows), [rows.first, rows.end])

  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    const cell = scroller.current!.querySelector<HTMLElement>('[tabindex="0"]')
    if (cell) {
      cell.focus({ preventScroll: true })
      wantsFocus.current = false
    }
  })

  const goTo = (next: Place) => {
    const box = scroller.current!
    box.scrollTop = scrollTo(box.scrollTop, box.clientHeight - headHeight, next.row * cellSize, cellSize)
    if (next.column >= 0)
      box.scrollLeft = scrollTo(box.scrollLeft, box.clientWidth - nameWidth, next.column * columnSize, columnSize)
    else box.scrollLeft = 0
    wantsFocus.current = true
    setPlace(next)
    look()
  }
  const open = ({ row, column }: Place) => {
    const found = rowAt(row)
    if (!found) return
    if (column < 0) onOpenPerson(found)
    else onOpen(found.cells[column]!, found, programs[column]!)
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      return open(place)
    }
    const page = Math.max(1, Math.floor((view.height - headHeight) / cellSize) - 1)
    const next = placeAfter(event.key, event.ctrlKey || event.metaKey, place, {
      rows: total,
      columns: programs.length,
      page,
    })
    if (!next) return
    event.preventDefault()
    goTo(next)
  }
  const clicked = (target: EventTarget) => {
    const { row, column } = (target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset ?? {}
    if (row === undefined || column === undefined) return
    const at = { row: Number(row), column: Number(column) }
    setPlace(at)
    open(at)
  }
  const width = nameWidth + programs.length * columnSize
  // Where the keyboard's place is scrolled out of sight, the Tab key still finds the grid.
  const isPlaceDrawn =
    place.row >= rows.first &&
    place.row < rows.end &&
    (place.column < 0 || (place.column >= columns.first && place.column < columns.end))
  const stop = isPlaceDrawn ? place : { row: rows.first, column: -1 }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table of the browser would lay out a million cells
    <div
      ref={scroller}
      className={`${styles.scroller} ${marks.marks}`}
      role="grid"
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={programs.length + 1}
      aria-readonly
      aria-busy={isOld}
      onScroll={look}
      onKeyDown={pressed}
      onClick={event => clicked(event.target)}
    >
      <div className={styles.sheet} style={{ width, height: headHeight + total * cellSize }} role="presentation">
        <Head programs={programs} first={columns.first} end={columns.end} nameWidth={nameWidth} width={width} />
        {Array.from({ length: Math.max(0, rows.end - rows.first) }, (_, index) => rows.first + index).map(index => (
          <Row
            key={index}
            index={index}
            row={rowAt(index)}
            programs={programs}
            first={columns.first}
            end={columns.end}
            nameWidth={nameWidth}
            width={width}
            inWords={inWords}
            focused={stop.row === index ? stop.column : undefined}
          />
        ))}
      </div>
    </div>
  )
}

/** The words of a cell. Many cells have the same, and to write a day takes longer than to draw its cell. */
function useInWords() {
  const { matrix: w, standings } = useTrainingWords()
  const { day } = useFormat()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words change with the language alone
  return useMemo(() => {
    const days = new Map<string, string>()
    const dayOf = (iso: string) => {
      const known = days.get(iso) ?? day(iso)
      days.set(iso, known)
      return known
    }
    return ({ status, valid_until, due_date }: Cell) =>
      status === 'trained' && valid_until
        ? w.trainedUntil(dayOf(valid_until))
        : due_date
          ? `${standings[status]}, ${w.due(dayOf(due_date))}`
          : standings[status]
  }, [w, standings])
}

interface RowProps {
  index: number
  row: MatrixRow | undefined
  programs: Program[]
  first: number
  end: number
  nameWidth: number
  width: number
  inWords: (cell: Cell) => string
  /** The column that the Tab key comes to, if it is in this row. */
  focused: number | undefined
}

type HeadProps = Pick<RowProps, 'programs' | 'first' | 'end' | 'nameWidth' | 'width'>

const Head = memo(function Head({ programs, first, end, nameWidth, width }: HeadProps) {
  const { matrix: w } = useTrainingWords()
  return (
    // biome-ignore lint/a11y/useSemanticElements: of the grid above
    // biome-ignore lint/a11y/useFocusableInteractive: its cells have the focus
    <div className={styles.head} role="row" aria-rowindex={1} style={{ width, height: headHeight }}>
      {/* biome-ignore lint/a11y/useSemanticElements: of the grid above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: it opens nothing */}
      <div className={styles.corner} role="columnheader" aria-colindex={1} style={{ width: nameWidth }}>
        {w.person}
      </div>
      {programs.slice(first, end).map(({ id, number, title }, index) => (
        // biome-ignore lint/a11y/useSemanticElements: of the grid above
        // biome-ignore lint/a11y/useFocusableInteractive: it opens nothing
        <div
          key={id}
          className={styles.program}
          role="columnheader"
          aria-colindex={first + index + 2}
          aria-label={`${number} ${title}`}
          title={`${number} ${title}`}
          style={{ left: nameWidth + (first + index) * columnSize, width: columnSize }}
        >
          <span>{number}</span>
        </div>
      ))}
    </div>
  )
})

const Row = memo(function Row({ index, row, programs, first, end, nameWidth, width, inWords, focused }: RowProps) {
  const { matrix: w } = useTrainingWords()
  const columns = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at)
  return (
    // biome-ignore lint/a11y/useSemanticElements: of the grid above
    // biome-ignore lint/a11y/useFocusableInteractive: its cells have the focus
    <div
      className={styles.row}
      role="row"
      aria-rowindex={index + 2}
      style={{ top: headHeight + index * cellSize, width, height: cellSize }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: of the grid above */}
      <div
        className={styles.person}
        role="rowheader"
        aria-colindex={1}
        tabIndex={focused === -1 ? 0 : -1}
        data-row={index}
        data-column={-1}
        style={{ width: nameWidth }}
      >
        {row ? (
          <>
            <span>{nameOf(row.user)}</span>
            <span className={styles.role}>{row.role}</span>
          </>
        ) : (
          <span className={styles.waiting}>
            <span className="visually-hidden">{w.loading}</span>
          </span>
        )}
      </div>
      {row &&
        columns.map(column => {
          const cell = row.cells[column]!
          const text = inWords(cell)
          return (
            // biome-ignore lint/a11y/useSemanticElements: of the grid above
            <div
              key={programs[column]!.id}
              className={styles.cell}
              role="gridcell"
              aria-colindex={column + 2}
              aria-label={text}
              title={`${programs[column]!.number}: ${text}`}
              tabIndex={focused === column ? 0 : -1}
              data-row={index}
              data-column={column}
              data-standing={cell.status}
              style={{ left: nameWidth + column * columnSize, width: columnSize }}
            />
          )
        })}
    </div>
  )
})

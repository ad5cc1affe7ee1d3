import { ChartColumn, Table2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useWords } from '../words/index.ts'
import { Button } from './button.tsx'
import styles from './chart.module.css'
import { roundUp } from './round-up.ts'

interface Frame {
  title: string
  /** What is counted, in a sentence. */
  about?: ReactNode
  columns: string[]
  /** The name of a line, and its numbers as they are written. */
  lines: {
    key: string
    name: ReactNode
    cells: ReactNode[]
    /** The numbers with the way to their records; only where the table is in sight, so that no key leads to what is not. */
    linked?: ReactNode[]
  }[]
  /** The picture says its numbers itself; otherwise readers get the table beside it. */
  isReadable?: boolean
  children: ReactNode
}

/** A chart with its numbers: as a table for readers and for whoever asks for it, at the bars on paper. */
export function ChartFrame({ title, about, columns, lines, isReadable = false, children }: Frame) {
  const { charts: w } = useWords()
  const [isTable, setTable] = useState(false)
  return (
    <figure className={styles.frame}>
      <figcaption>
        <div>
          <h3>{title}</h3>
          {about && <p className="soft">{about}</p>}
        </div>
        <span data-print="none">
          <Button
            look="icon"
            label={isTable ? w.showChart(title) : w.showTable(title)}
            icon={isTable ? ChartColumn : Table2}
            onPress={() => setTable(!isTable)}
          />
        </span>
      </figcaption>
      {!isTable && children}
      {(isTable || !isReadable) && (
        <div className={isTable ? undefined : styles.hidden}>
          <table className={styles.table}>
            <caption className="visually-hidden">{title}</caption>
            <thead>
              <tr>
                {columns.map((each, index) => (
                  <th key={each} scope="col" className={index > 0 ? styles.value : undefined}>
                    {each}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {lines.map(({ key, name, cells, linked = cells }) => (
                <tr key={key}>
                  <th scope="row">{name}</th>
                  {(isTable ? linked : cells).map((cell, index) => (
                    <td key={columns[index + 1]} className={styles.value}>
                      {cell}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </figure>
  )
}

export interface Series {
  name: string
  values: number[]
}

const height = 150
const floor = height - 20
const top = 14
const percent = (part: number) => `${(part * 100).toFixed(3)}%`

/** One or two numbers for each month, as bars beside each other. The second is the outline of the first's colour. */
export function MonthBars({ names, series }: { names: string[]; series: Series[] }) {
  const most = roundUp(Math.max(...series.flatMap(({ values }) => values)))
  const y = (value: number) => floor - ((floor - top) * value) / most
  const slot = 1 / names.length
  const width = (slot * 0.7) / series.length
  return (
    <div className={styles.picture} aria-hidden="true">
      <svg className={styles.months} height={height} role="presentation">
        <line className={styles.grid} x1="0" x2="100%" y1={y(most)} y2={y(most)} />
        <text className={styles.scale} x="0" y={y(most) - 4}>
          {most}
        </text>
        <line className={styles.axis} x1="0" x2="100%" y1={floor} y2={floor} />
        {series.map(({ name, values }, nth) =>
          values.map((value, month) => (
            <rect
              key={`${name} ${names[month]}`}
              className={styles[`series${nth}`]}
              x={percent(slot * (month + 0.15) + width * nth)}
              width={percent(width)}
              y={y(value)}
              height={floor - y(value)}
            >
              <title>{`${names[month]}: ${value} ${name}`}</title>
            </rect>
          )),
        )}
        {series.map(({ name, values }, nth) =>
          values.map((value, month) => (
            <text
              key={`${name} ${names[month]}`}
              className={styles.printed}
              x={percent(slot * (month + 0.15) + width * (nth + 0.5))}
              y={y(value) - 3}
            >
              {value}
            </text>
          )),
        )}
        {names.map((name, month) => (
          <text
            key={name}
            className={`${styles.label} ${(names.length - 1 - month) % 2 === 1 ? styles.second : ''}`}
            x={percent(slot * (month + 0.5))}
            y={height - 5}
          >
            {name.split(' ')[0]}
          </text>
        ))}
      </svg>
      {series.length > 1 && (
        <ul className={styles.legend}>
          {series.map(({ name }, nth) => (
            <li key={name}>
              <svg width="10" height="10" aria-hidden="true">
                <rect className={styles[`series${nth}`]} x="0.5" y="0.5" width="9" height="9" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

export interface Bar {
  key: string
  name: string
  value: number
  /** As it is written beside the bar. */
  text: string
  /** The page with the records behind it. */
  link?: ((children: ReactNode) => ReactNode) | undefined
  /** Of the whole, up to here: the curve of a Pareto chart, written. */
  cumulative?: string | undefined
}

interface BarsProps {
  bars: Bar[]
  /** The length of a full bar; without it, of the longest. */
  full?: number
  /** A line that the bars should reach, as a part of `full`. */
  goal?: number
}

/** A bar for each name, the name before it and the number behind. */
export function Bars({ bars, full, goal }: BarsProps) {
  const most = full ?? Math.max(1, ...bars.map(({ value }) => value))
  return (
    <ul className={styles.bars}>
      {bars.map(({ key, name, value, text, link, cumulative }) => (
        <li key={key}>
          <span className={styles.name}>{link ? link(name) : name}</span>
          <svg className={styles.bar} height="16" aria-hidden="true">
            <rect className={styles.ground} width="100%" height="16" rx="2" />
            <rect className={styles.series0} width={percent(value / most)} height="16" rx="2" />
            {goal !== undefined && (
              <line className={styles.goal} x1={percent(goal)} x2={percent(goal)} y1="0" y2="16" />
            )}
          </svg>
          <span className={styles.text}>
            {text}
            {cumulative !== undefined && <span className="soft"> {cumulative}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

import { nameOf } from '../../ui/person.tsx'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import marks from './matrix-marks.module.css'
import styles from './matrix-print.module.css'
import { standings as order } from './searches.ts'
import type { Matrix, MatrixRow } from './use-matrix.ts'
import { useTrainingWords } from './words.ts'

/** So many programs stand beside each other on a sheet. */
const programs_on_sheet = 25

/** The matrix on paper: a table for each part of the programs, whose heads the browser repeats on each page. */
export function MatrixPrint({
  programs,
  rows,
  total,
}: {
  programs: Matrix['programs']
  rows: MatrixRow[]
  total: number
}) {
  const { matrix: w, standings } = useTrainingWords()
  const { moment } = useFormat()
  const me = useMe()
  const parts = Array.from(
    { length: Math.ceil(programs.length / programs_on_sheet) },
    (_, index) => index * programs_on_sheet,
  )
  return (
    <div className={`${styles.paper} ${marks.marks}`}>
      {parts.map(from => (
        <table key={from}>
          <caption>
            <b>{w.title}</b> {w.sum(total, programs.length)} · {w.printed(nameOf(me), moment(new Date().toISOString()))}
            <span className={styles.legend}>
              {order.map(each => (
                <span key={each}>
                  <span data-standing={each} aria-hidden="true" /> {standings[each]}
                </span>
              ))}
            </span>
          </caption>
          <thead>
            <tr>
              <th scope="col">{w.person}</th>
              {programs.slice(from, from + programs_on_sheet).map(({ id, number }) => (
                <th key={id} scope="col" className={styles.program}>
                  <span>{number}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ user, role, cells }) => (
              <tr key={user.id}>
                <th scope="row">
                  {nameOf(user)} <span>{role}</span>
                </th>
                {cells.slice(from, from + programs_on_sheet).map(({ status }, index) => (
                  <td key={programs[from + index]!.id}>
                    <span data-standing={status}>
                      <span className="visually-hidden">{standings[status]}</span>
                    </span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  )
}

import styles from './control-panel.module.css'
import { Scrolled } from './scrolled.tsx'
import { durationText } from './texts.ts'
import type { Report } from './use-report.ts'
import { usePanelWords } from './words.ts'

/** What waits, and the scheduled tasks that did not go well. */
export function Queues({ workers: { queues, schedules }, now }: { workers: Report['workers']; now: number }) {
  const words = usePanelWords()
  const { health: w } = words
  const ill = schedules.filter(({ is_failing, last_run }) => is_failing || (last_run?.failed ?? 0) > 0)
  return (
    <div className={styles.history}>
      <h2>{w.queues}</h2>
      {queues.length === 0 ? (
        <p className="soft">{w.noWorkers}</p>
      ) : (
        <Scrolled label={w.queues}>
          <table className={styles.table}>
            <caption className="visually-hidden">{w.queues}</caption>
            <thead>
              <tr>
                {[w.queue, w.waiting, w.oldest, w.later, w.active, w.givenUp].map(each => (
                  <th key={each} scope="col">
                    {each}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {queues.map(({ name, waiting, waiting_since, later, active, failed }) => (
                <tr key={name}>
                  <th scope="row">{w.queueNames[name] ?? name}</th>
                  <td>{waiting}</td>
                  <td>{waiting_since ? durationText((now - Date.parse(waiting_since)) / 1000, words) : ''}</td>
                  <td>{later}</td>
                  <td>{active}</td>
                  <td>{failed}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
      {schedules.length > 0 && ill.length === 0 && (
        <p className="soft">
          {w.schedulesWell(schedules.filter(({ last_run }) => last_run !== null).length, schedules.length)}
        </p>
      )}
      {ill.length > 0 && (
        <>
          <h3>{w.schedules}</h3>
          <ul className={styles.plain}>
            {ill.map(({ name, is_failing, last_run }) => (
              <li key={name}>
                <code>{name}</code>{' '}
                <span className={styles.badText}>
                  {is_failing ? w.scheduleFails : w.scheduleFailedFor(last_run?.failed ?? 0)}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'
import { useFormat } from '../../words/index.ts'
import styles from './historical-approvals.module.css'
import { useImportedWords } from './imported-words.ts'

/** Approvals of before a migration. A company that imported nothing has none, and sees nothing of it. */
export function HistoricalApprovals({ id }: { id: number }) {
  const w = useImportedWords()
  const { day, moment } = useFormat()
  const { data: approvals = [] } = useQuery(ask('GET /api/documents/{id}/historical-approvals', { path: { id } }))
  return [...Map.groupBy(approvals, ({ batch }) => batch.id).values()].map(imported => {
    const { batch } = imported[0]!
    const accepter = batch.accepted_by.full_name ?? batch.accepted_by.username
    return (
      <section key={batch.id} className={styles.imported} aria-label={w.title(batch.source)}>
        <h2>{w.title(batch.source)}</h2>
        <p className="soft">{w.note(batch.number, accepter, moment(batch.accepted_at))}</p>
        <ul>
          {imported.map(({ id, version, person_name, person_role, meaning, approved_on, evidence, evidence_file }) => (
            <li key={id}>
              <span>{w.version(version)}</span>
              <p>
                {meaning}: <b>{person_name}</b>
                {person_role && <span className="soft">, {person_role}</span>}
                {evidence && <span className="soft"> · {evidence}</span>}
                {evidence_file && <span className="soft"> · {w.scan(evidence_file.name)}</span>}
              </p>
              <span className="soft">{approved_on === null ? w.undated : day(approved_on)}</span>
            </li>
          ))}
        </ul>
      </section>
    )
  })
}

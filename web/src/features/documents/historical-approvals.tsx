import { useQuery } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import { addressOf } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './historical-approvals.module.css'
import { useImportedWords } from './imported-words.ts'

/** Approvals of before a migration. A company that imported nothing has none, and sees nothing of it. */
export function HistoricalApprovals({ id: document }: { id: number }) {
  const w = useImportedWords()
  const { day, moment } = useFormat()
  const { data: approvals = [] } = useQuery(
    ask('GET /api/documents/{id}/historical-approvals', { path: { id: document } }),
  )
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
                {evidence_file && <Scan document={document} approval={id} name={evidence_file.name} />}
              </p>
              <span className={`soft ${styles.day}`}>{approved_on === null ? w.undated : day(approved_on)}</span>
            </li>
          ))}
        </ul>
      </section>
    )
  })
}

/** A scan of the signed page, for who may download. */
function Scan({ document, approval, name }: { document: number; approval: number; name: string }) {
  const w = useImportedWords()
  const me = useMe()
  if (!me.permissions.includes('documents.download')) return <span className="soft"> · {w.scan(name)}</span>
  const path = { id: document, approval_id: approval }
  return (
    <a
      className={styles.scan}
      href={addressOf('GET /api/documents/{id}/historical-approvals/{approval_id}/evidence', { path })}
      aria-label={w.scan(name)}
      download={name}
    >
      <FileText size={13} aria-hidden="true" /> {name}
    </a>
  )
}

import { Link, useNavigate } from '@tanstack/react-router'
import { ExternalLink, ListFilter, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { pageOfRecord } from '../../app/addresses.ts'
import { paths } from '../../app/paths.ts'
import { type Fact, FactList } from '../../records/fact-list.tsx'
import { Button } from '../../ui/button.tsx'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { type Entry, useActorName } from './entry.ts'
import styles from './entry-details.module.css'
import { Proof } from './proof.tsx'
import { fieldName, longest, valueText } from './values.ts'

export function EntryDetails({ entry }: { entry: Entry }) {
  const { audit: w } = useEvidenceWords()
  const { redacted, changes, resource_type, resource_id } = entry
  const navigate = useNavigate()
  const [isProofShown, setProofShown] = useState(false)
  const page = pageOfRecord(resource_type, resource_id)
  const fields = Object.entries(changes ?? {})
  return (
    <div className={styles.details}>
      <div className={styles.changes}>
        {redacted.map(part => (
          <p key={part} className="soft">
            {w.redacted[part]}
          </p>
        ))}
        {fields.length > 0 ? (
          <Changes fields={fields} />
        ) : (
          !redacted.includes('detail') && <p className="soft">{w.noChanges}</p>
        )}
      </div>
      <EntryFacts entry={entry} />
      <div className={styles.acts} data-print="none">
        {page !== undefined && (
          <Link to={page} className={styles.link}>
            <ExternalLink size={14} aria-hidden="true" />
            {w.openRecord}
          </Link>
        )}
        {resource_id !== null && (
          <Button
            look="quiet"
            icon={ListFilter}
            onPress={() => void navigate({ to: paths.audit, search: { record: resource_type, id: resource_id } })}
          >
            {w.entriesOfRecord}
          </Button>
        )}
        {!isProofShown && (
          <Button look="quiet" icon={ShieldCheck} onPress={() => setProofShown(true)}>
            {w.showProof}
          </Button>
        )}
      </div>
      {isProofShown && <Proof id={entry.id} />}
    </div>
  )
}

function EntryFacts({ entry }: { entry: Entry }) {
  const { audit: w } = useEvidenceWords()
  const { locale, moment } = useFormat()
  const actor = useActorName()
  const { user, reason, occurred_at, resource_type, resource_number, resource_revision, seq } = entry
  const person = [
    actor(entry),
    user.full_name !== null && user.username,
    user.role,
    user.full_name_as_of === 'now' && w.nameNow,
  ]
  const record = [
    `${fieldName(resource_type)}${resource_number === null ? '' : ` ${resource_number}`}`,
    resource_revision !== null && w.revision(resource_revision),
  ]
  const facts: Fact[] = [
    [w.facts.reason, reason],
    [w.facts.person, person.filter(Boolean).join(', ')],
    [w.facts.time, moment(occurred_at)],
    [w.facts.record, record.filter(Boolean).join(', ')],
    [w.facts.address, entry.client_addr],
    [w.facts.request, <code key="request">{entry.request_id}</code>],
    [w.facts.number, seq === null ? w.waiting : seq.toLocaleString(locale)],
    [w.facts.code, <code key="code">{entry.action}</code>],
  ]
  return <FactList facts={facts} />
}

/** Each field from what it was to what it became. */
function Changes({ fields }: { fields: [string, { from: unknown; to: unknown }][] }) {
  const { audit: w } = useEvidenceWords()
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{w.changes}</caption>
      <thead>
        <tr>
          <th scope="col">{w.columns.field}</th>
          <th scope="col">{w.columns.from}</th>
          <th scope="col">{w.columns.to}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(([field, { from, to }]) => (
          <tr key={field}>
            <th scope="row" title={field}>
              {fieldName(field)}
            </th>
            <td data-label={w.columns.from}>
              <Value of={from} />
            </td>
            <td data-label={w.columns.to}>
              <Value of={to} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Value({ of: value }: { of: unknown }) {
  const { audit: w } = useEvidenceWords()
  if (typeof value === 'boolean') return value ? w.yes : w.no
  const text = valueText(value)
  if (text === undefined) return <span className="soft">{w.empty}</span>
  if (text.length <= longest) return <span className={styles.value}>{text}</span>
  return (
    <details>
      <summary>
        <span className={styles.value}>{text.slice(0, longest)}…</span>{' '}
        <span className={styles.more}>{w.wholeText}</span>
      </summary>
      <span className={styles.value}>{text.slice(longest)}</span>
    </details>
  )
}

import type { ReactNode } from 'react'
import type { Answer } from '../../api/client.ts'
import { Person } from '../../ui/person.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import styles from './facts.module.css'

export function Facts({ document }: { document: Answer<'GET /api/documents/{id}'> }) {
  const { document: w } = useWords()
  const { day } = useFormat()
  const {
    owner,
    document_type,
    category,
    keywords,
    effective_date,
    review_due_date,
    file,
    status,
    content,
    description,
  } = document
  const isInForce = status === 'effective' || status === 'superseded' || status === 'obsolete'
  const facts: [string, ReactNode][] = [
    [w.owner, <Person key="owner" of={owner} />],
    [w.type, document_type.name],
    [w.description, description],
    [w.category, category],
    [w.keywords, keywords.join(', ')],
    [isInForce ? w.effectiveDate : w.plannedDate, effective_date && day(effective_date)],
    [w.reviewDate, review_due_date && day(review_due_date)],
    [w.file, `${file.name}${content?.pages ? `, ${w.pages(content.pages)}` : ''}`],
    [
      w.digest,
      <code key="digest" title={file.sha256}>
        {file.sha256.slice(0, 16)}…
      </code>,
    ],
  ]
  return (
    <section aria-label={w.facts}>
      <h2>{w.facts}</h2>
      <dl className={styles.facts}>
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}

import type { Answer } from '../../api/client.ts'
import { type Fact, FactList } from '../../records/fact-list.tsx'
import { useDepartmentWords } from '../../records/fields/department-field.tsx'
import { useImportedFacts } from '../../records/imported-facts.ts'
import { Person } from '../../ui/person.tsx'
import { useFormat, useWords } from '../../words/index.ts'

export function Facts({ document }: { document: Answer<'GET /api/documents/{id}'> }) {
  const { document: w } = useWords()
  const dep = useDepartmentWords()
  const imported = useImportedFacts(document)
  const { day } = useFormat()
  const {
    owner,
    document_type,
    department,
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
  const facts: Fact[] = [
    [w.owner, <Person key="owner" of={owner} />],
    [w.type, document_type.name],
    ...imported,
    [w.description, description],
    [dep.label, department],
    [w.category, category],
    [w.keywords, keywords.join(', ')],
    [isInForce ? w.effectiveDate : w.plannedDate, effective_date && day(effective_date)],
    [w.reviewDate, review_due_date && day(review_due_date)],
    [w.file, `${file.name}${content?.pages ? `, ${w.pages(content.pages)}` : ''}`],
    [
      w.digest,
      <code key="digest" title={file.sha256}>
        <span data-print="none">{file.sha256.slice(0, 16)}…</span>
        <span data-print="only">{file.sha256}</span>
      </code>,
    ],
  ]
  return (
    <section aria-label={w.facts}>
      <h2>{w.facts}</h2>
      <FactList facts={facts} />
    </section>
  )
}

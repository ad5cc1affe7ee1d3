import { Link } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { TabLinks } from '../../ui/tab-links.tsx'
import { useEvidenceWords } from '../../words/evidence.ts'

/** The parts of the audit trail. */
export function AuditNav() {
  const { tabs: w } = useEvidenceWords().audit
  const exact = { exact: true, includeSearch: false }
  return (
    <TabLinks label={w.label}>
      <li>
        <Link to={paths.audit} activeOptions={exact}>
          {w.entries}
        </Link>
      </li>
      <li>
        <Link to={paths.auditReviews} activeOptions={exact}>
          {w.reviews}
        </Link>
      </li>
    </TabLinks>
  )
}

import { Link } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { TabLinks } from '../../ui/tab-links.tsx'
import { useEvidenceWords } from '../../words/evidence.ts'

/** The accounts as they are, and the reviews of them. */
export function AccessNav() {
  const { tabs: w } = useEvidenceWords().access
  const exact = { exact: true, includeSearch: false }
  return (
    <TabLinks label={w.label}>
      <li>
        <Link to={paths.accounts} activeOptions={exact}>
          {w.accounts}
        </Link>
      </li>
      <li>
        <Link to={paths.accessReviews} activeOptions={exact}>
          {w.reviews}
        </Link>
      </li>
    </TabLinks>
  )
}

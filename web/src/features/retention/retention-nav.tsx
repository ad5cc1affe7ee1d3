import { Link } from '@tanstack/react-router'
import { paths } from '../../app/paths.ts'
import { TabLinks } from '../../ui/tab-links.tsx'
import { useRetentionWords } from './words.ts'

/** What is past its retention day, and the disposals. */
export function RetentionNav() {
  const { tabs: w } = useRetentionWords()
  const exact = { exact: true, includeSearch: false }
  return (
    <TabLinks label={w.label}>
      <li>
        <Link to={paths.retention} activeOptions={exact}>
          {w.due}
        </Link>
      </li>
      <li>
        <Link to={paths.disposals} activeOptions={exact}>
          {w.disposals}
        </Link>
      </li>
    </TabLinks>
  )
}

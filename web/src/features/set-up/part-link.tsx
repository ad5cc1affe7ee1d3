import { Link } from '@tanstack/react-router'
import { adminPartsOf } from '../../app/admin-parts.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './set-up.module.css'
import { useSetUpWords } from './words.ts'

/** To the whole page of a part of the administration, for whoever may see it. */
export function PartLink({ name }: { name: string }) {
  const w = useSetUpWords()
  const { shell } = useWords()
  const { permissions } = useMe()
  const part = adminPartsOf(permissions)
    .flatMap(({ parts }) => parts)
    .find(each => each.name === name)
  return part ? (
    <Link to={part.path} className={styles.part}>
      {w.more(shell.adminParts[part.name])}
    </Link>
  ) : null
}

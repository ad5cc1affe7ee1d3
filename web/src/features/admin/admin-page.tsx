import { Link } from '@tanstack/react-router'
import { Problem } from '../../api/problem.ts'
import { adminPartsOf } from '../../app/admin-parts.ts'
import { Unreadable } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './admin.module.css'
import { useAdminWords } from './words.ts'

/** All parts of the administration that somebody may see, each with what it is for. */
export function AdminPage() {
  const w = useAdminWords()
  const { shell } = useWords()
  const { permissions } = useMe()
  const groups = adminPartsOf(permissions)
  useTitle(w.title)
  if (groups.length === 0) return <Unreadable error={new Problem(403, undefined)} />
  return (
    <>
      <h1 className={styles.title}>{w.title}</h1>
      <div className={styles.groups}>
        {groups.map(({ group, parts }) => (
          <section key={group} aria-labelledby={`group-${group}`}>
            <h2 id={`group-${group}`}>{w.groups[group]}</h2>
            <ul>
              {parts.map(({ name, path }) => (
                <li key={name}>
                  <Link to={path}>
                    <b>{shell.adminParts[name]}</b>
                    <span>{w.parts[name]}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  )
}

import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { type AdminPart, adminPartsOf } from '../../app/admin-parts.ts'
import { paths } from '../../app/paths.ts'
import { TabLinks } from '../../ui/tab-links.tsx'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './admin.module.css'
import { useAdminWords } from './words.ts'

/** Around each page of the administration: the way back to all parts, and the parts beside this one. */
export function AdminLayout() {
  const w = useAdminWords()
  const { shell } = useWords()
  const { permissions } = useMe()
  const { pathname } = useLocation()
  const isHere = ({ path, others = [] }: AdminPart) =>
    [path, ...others].some(each => pathname === each || pathname.startsWith(`${each}/`))
  const here = adminPartsOf(permissions).find(({ parts }) => parts.some(isHere))
  return (
    <>
      {here && (
        <div className={styles.parts}>
          <p data-print="none">
            <Link to={paths.admin}>{w.title}</Link>
            <span aria-hidden="true"> / </span>
            {w.groups[here.group]}
          </p>
          {here.parts.length > 1 && (
            <TabLinks label={w.groups[here.group]}>
              {here.parts.map(part => (
                <li key={part.name}>
                  <Link
                    to={part.path}
                    activeOptions={{ includeSearch: false }}
                    {...(isHere(part) && { 'aria-current': 'page' })}
                  >
                    {shell.adminParts[part.name]}
                  </Link>
                </li>
              ))}
            </TabLinks>
          )}
        </div>
      )}
      <Outlet />
    </>
  )
}

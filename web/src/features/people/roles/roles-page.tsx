import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Ban, Check, CornerDownRight, Plus } from 'lucide-react'
import { Fragment, useState } from 'react'
import type { Answer } from '../../../api/client.ts'
import { askAll } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import list from '../../../records/list/list-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { Loading, Unreadable } from '../../../ui/notes.tsx'
import { SearchText } from '../../../ui/search-text.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { useMe } from '../../session/session.ts'
import styles from '../people.module.css'
import { byArea, type KnownPermission, usePermissions } from '../permissions.ts'
import { usePeopleWords } from '../words.ts'
import { chainOf, type Mark, markOf } from './marks.ts'
import matrix from './matrix.module.css'

export type RoleInList = Answer<'GET /api/roles/'>['items'][number]

/** Which permissions does each role have, and where do they come from? */
export function RolesPage() {
  const { roles: w } = usePeopleWords()
  const { permissions: mine } = useMe()
  const navigate = useNavigate()
  const roles = useQuery(askAll('GET /api/roles/', { query: { sort: 'id:asc' } }))
  const known = usePermissions()
  const [q, setQ] = useState('')
  useTitle(w.title)
  const error = roles.error ?? known.error
  const sought = q.toLowerCase()
  const permissions = known.permissions?.filter(
    ({ name, description }) => description.toLowerCase().includes(sought) || name.includes(sought),
  )
  return (
    <div className={list.page}>
      <header className={list.head}>
        <div>
          <h1>{w.title}</h1>
          <p className="soft">{w.about}</p>
        </div>
        {mine.includes('roles.manage') && (
          <div className="row" data-print="none">
            <Button look="main" icon={Plus} onPress={() => void navigate({ to: paths.newRole })}>
              {w.create}
            </Button>
          </div>
        )}
      </header>
      {error ? (
        <Unreadable
          error={error}
          onRetry={() => {
            void roles.refetch()
            void known.refetch()
          }}
        />
      ) : !roles.data || !permissions ? (
        <Loading lines={14} />
      ) : (
        <>
          <div className={list.filters}>
            <SearchText label={w.find} text={q} onChange={next => setQ(next ?? '')} />
            <Legend />
          </div>
          <Matrix roles={roles.data} permissions={permissions} />
        </>
      )}
    </div>
  )
}

const icons = { own: Check, inherited: CornerDownRight, denied: Ban } as const

function MarkIcon({ of: mark, word }: { of: Mark; word: string }) {
  const Icon = mark === 'none' ? undefined : icons[mark]
  return (
    <span className={matrix[mark]} title={word}>
      {Icon ? <Icon size={15} aria-hidden="true" /> : <span aria-hidden="true">·</span>}
      <span className="visually-hidden">{word}</span>
    </span>
  )
}

function Legend() {
  const { roles: w } = usePeopleWords()
  return (
    <ul className={matrix.legend} aria-label={w.legendTitle}>
      {(['own', 'inherited', 'denied', 'none'] as const).map(mark => {
        const Icon = mark === 'none' ? undefined : icons[mark]
        return (
          <li key={mark}>
            <span className={matrix[mark]}>
              {Icon ? <Icon size={15} aria-hidden="true" /> : <span aria-hidden="true">·</span>}
            </span>
            {w.legend[mark]}
          </li>
        )
      })}
    </ul>
  )
}

function Matrix({ roles, permissions }: { roles: RoleInList[]; permissions: KnownPermission[] }) {
  const { roles: w, areas, explain } = usePeopleWords()
  const chains = new Map(roles.map(role => [role.id, chainOf(role, roles)]))
  if (permissions.length === 0)
    return (
      <div className={list.filters}>
        <p className={styles.none}>{explain.nothingFound}</p>
      </div>
    )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section className={matrix.frame} aria-label={w.title} tabIndex={0}>
      <table className={matrix.table}>
        <thead>
          <tr>
            <th scope="col">{w.permission}</th>
            {roles.map(role => (
              <th key={role.id} scope="col">
                <Link to={paths.role} params={{ id: role.id }}>
                  {role.name}
                </Link>
                <span className="soft">{w.showUsers(role.user_count)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {byArea(permissions).map(({ area, items }) => (
            <Fragment key={area}>
              <tr className={matrix.area}>
                <th scope="colgroup" colSpan={roles.length + 1}>
                  <span>{areas[area]}</span>
                </th>
              </tr>
              {items.map(({ name, description }) => (
                <tr key={name}>
                  <th scope="row">{description}</th>
                  {roles.map(role => {
                    const { mark, from } = markOf(name, chains.get(role.id)!)
                    return (
                      <td key={role.id}>
                        <MarkIcon of={mark} word={from ? w.inheritedFrom(from) : w.legend[mark]} />
                      </td>
                    )
                  })}
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
    </section>
  )
}

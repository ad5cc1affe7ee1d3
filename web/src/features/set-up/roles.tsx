import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import { Refused } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useMe } from '../session/session.ts'
import { PartLink } from './part-link.tsx'
import styles from './set-up.module.css'
import { useSetUpWords } from './words.ts'

type SetUp = Answer<'GET /api/set-up/'>
type User = Answer<'GET /api/users/'>['items'][number]

interface Props {
  roles: SetUp['roles']['items']
  types: SetUp['document_types']['items']
}

/** More people than that are looked after on the page of users. */
const most = 20

export function Roles({ roles, types }: Props) {
  const { roles: w } = useSetUpWords()
  const { id: self, permissions } = useMe()
  const client = useQueryClient()
  const mayAssign = permissions.includes('roles.assign') && permissions.includes('users.read')
  const users = useQuery({
    ...ask('GET /api/users/', { query: { is_active: true, page_size: most, sort: 'full_name:asc' } }),
    enabled: mayAssign,
  })
  const nameOf = ({ full_name, username }: User) => full_name ?? username
  const { mutate, error, isPending } = useMutation<Answer<'PUT /api/users/{id}/role'>, Problem, [User, number]>({
    mutationFn: ([{ id }, role_id]) => call('PUT /api/users/{id}/role', { path: { id }, body: { role_id } }),
    async onSuccess({ role }, [user]) {
      announce(w.changed(nameOf(user), role))
      await refresh(client, 'set-up/', 'users/', 'roles/')
    },
  })
  const issues = Map.groupBy(
    types.filter(({ issue }) => issue !== null),
    ({ issue }) => issue!.detail,
  )
  const { items = [], total = 0 } = users.data ?? {}
  return (
    <>
      <p className="soft">{w.about}</p>
      <ul className={styles.rows}>
        {roles.map(({ id, name, description, people }) => (
          <li key={id}>
            <span>
              <b>{name}</b> <span className="soft">{description}</span>
            </span>
            <span className="soft">{w.people(people)}</span>
          </li>
        ))}
      </ul>
      {issues.size > 0 && (
        <div>
          <h3>{w.missing}</h3>
          <ul>
            {[...issues].map(([detail, some]) => (
              <li key={detail}>
                <b>{some.map(({ prefix }) => prefix).join(', ')}</b>: {detail}
              </li>
            ))}
          </ul>
        </div>
      )}
      {error && <Refused error={error} />}
      {mayAssign && (
        <div className={styles.pair}>
          {items
            .filter(({ id }) => id !== self)
            .map(user => (
              <Select
                key={user.id}
                label={w.ofPerson(nameOf(user))}
                value={String(user.role_id)}
                isDisabled={isPending}
                onChange={id => mutate([user, Number(id)])}
                options={roles.map(({ id, name, description }) => ({ id: String(id), name, detail: description }))}
              />
            ))}
        </div>
      )}
      {total > most && <p className="soft">{w.some(most)}</p>}
      <PartLink name="roles" />
    </>
  )
}

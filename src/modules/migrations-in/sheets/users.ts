import { addImportedUsers } from '#modules/accounts'
import { readRoles } from '#modules/roles'
import { provenance, type Sheet } from '../sheet.ts'
import { optional, required } from './columns.ts'
import { help, messages } from './messages.ts'
import { findPeople, findPeopleById, listServiceNames } from './queries.ts'
import { byId, differing, type Finding, idsOf, judged, lower, missing, unsure, userKey, wrong } from './shared.ts'

type UserRow = {
  username: string
  email: string
  full_name: string | null
  role: string | null
  active: string | null
}

/** The same as the constraints of `users`. */
const username = /^[A-Za-z0-9][A-Za-z0-9._-]{1,63}$/
const email = /^[^@\s]+@[^@\s]+$/

export const users: Sheet<UserRow> = {
  name: 'users',
  needs: [],
  help: help.help_users(),
  columns: [
    required('username', 'text', help.help_username(), ['User name', 'Benutzername', 'Login']),
    required('email', 'text', help.help_email(), ['E-mail', 'E-Mail-Adresse', 'Mail']),
    optional('full_name', 'text', help.help_full_name(), ['Full name', 'Name', 'Vollständiger Name']),
    optional('role', 'text', help.help_role(), ['Role', 'Rolle']),
    optional('active', 'choice', help.help_active(), ['Active', 'Aktiv'], { choices: ['yes', 'no'] }),
  ],
  key: ({ username }) => userKey(username),
  references: () => [],
  async check(tx, rows) {
    const known = await findPeople(
      tx,
      rows.map(({ values }) => values.username),
      rows.map(({ values }) => values.email),
    )
    const services = new Set(
      (
        await listServiceNames(
          tx,
          rows.map(({ values }) => values.username),
        )
      ).map(lower),
    )
    const byName = new Map(known.map(each => [lower(each.username), each]))
    const byEmail = new Map(known.map(each => [lower(each.email), each]))
    const roles = new Map([...(await readRoles(tx)).values()].map(({ name }) => [lower(name), name]))
    const onPage = new Map<string, number>()
    return rows.map(({ values, line }) => {
      const findings: Finding[] = []
      const there = byName.get(lower(values.username))
      const holder = byEmail.get(lower(values.email))
      if (!username.test(values.username))
        findings.push(
          wrong('username', messages.staged_username_unfit({ name: values.username }), messages.todo_username_unfit()),
        )
      if (services.has(lower(values.username)))
        findings.push(
          wrong(
            'username',
            messages.staged_username_of_service({ name: values.username }),
            messages.todo_username_unfit(),
          ),
        )
      if (!email.test(values.email))
        findings.push(wrong('email', messages.staged_email_unfit({ email: values.email }), messages.todo_email_unfit()))
      const role = values.role === null ? 'User' : roles.get(lower(values.role))
      if (role === undefined)
        findings.push(wrong('role', messages.staged_role_unknown({ role: values.role! }), messages.todo_role_unknown()))
      if (there && lower(there.email) !== lower(values.email))
        findings.push(
          wrong(
            'email',
            messages.staged_user_other_email({ name: there.username, email: there.email }),
            messages.todo_user_other_email(),
          ),
        )
      else if (there)
        findings.push(
          unsure('username', messages.staged_user_known({ name: there.username }), messages.todo_user_known()),
        )
      else if (holder)
        findings.push(
          wrong(
            'email',
            messages.staged_email_taken({ email: values.email, name: holder.username }),
            messages.todo_email_taken(),
          ),
        )
      const earlier = onPage.get(lower(values.email))
      if (earlier !== undefined)
        findings.push(
          wrong(
            'email',
            messages.staged_email_twice({ email: values.email, line: earlier }),
            messages.todo_email_taken(),
          ),
        )
      onPage.set(lower(values.email), line)
      return judged(findings, {
        ...{ username: values.username, email: values.email, full_name: values.full_name, role: role ?? values.role },
        is_active: there?.is_active ?? values.active !== 'no',
      })
    })
  },
  async load(context, rows, batch) {
    const known = new Map(
      (
        await findPeople(
          context.tx,
          rows.map(({ values }) => values.username),
        )
      ).map(each => [lower(each.username), each.id]),
    )
    const roles = new Map([...(await readRoles(context.tx))].map(([id, { name }]) => [lower(name), id]))
    const fresh = rows.filter(({ values }) => !known.has(lower(values.username)))
    if (fresh.length > 0) {
      const ids = await addImportedUsers(
        context,
        fresh.map(row => {
          const { username, email, full_name, role, active } = row.values
          return {
            ...{ username, email, full_name, is_active: active !== 'no', from: provenance(row, batch) },
            role_id: role === null ? undefined : roles.get(lower(role)),
          }
        }),
        batch.id,
      )
      for (const [i, { values }] of fresh.entries()) known.set(lower(values.username), ids[i]!)
    }
    return rows.map(({ values }) => ({ resource_type: 'user', resource_id: known.get(lower(values.username))! }))
  },
  async compare(tx, rows) {
    const found = byId(await findPeopleById(tx, idsOf(rows)))
    return rows.map(({ values, resource_id, key }) => {
      const user = found.get(resource_id!)
      if (!user) return missing(key)
      const basic = differing([
        ['username', lower(values.username), lower(user.username)],
        ['email', lower(values.email), lower(user.email)],
      ])
      // Somebody who was there before keeps their name and role. Whoever came alive meanwhile was imported without a password.
      return basic
    })
  },
}

import { type ActionContext, command } from '#action'
import { validate } from '#http/validation.ts'
import { AppError, conflict, type Issue, invalid, invalidField, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { Body } from '#kernel/schema.ts'
import { readRoles } from '#modules/roles'
import { readCsv } from '#platform/csv-reader.ts'
import { hashUnknownPassword, requestPasswordLinks } from '../log-in/password-links.ts'
import { messages, reasons } from '../messages.ts'
import { addUsers } from '../new-user.ts'
import { listNamed } from '../queries.ts'
import { InvitationList, InvitedUsers, UserInvitation } from '../schema.ts'
import { requirePasswords } from '../tenants/sso-required.ts'
import { requireRoles } from '../users.ts'

const columns = ['username', 'email', 'full_name', 'role'] as const
type Column = (typeof columns)[number]

/** A person on the list, and the line that names them. */
interface Listed extends Record<Column, string> {
  line: number
}

/** They are created in one transaction, which takes some seconds at most. */
const maxPeople = 500
/** As many as people correct at a time. */
const maxIssues = 100

/** Collects what is wrong with a list, by line and column. */
class Faults {
  readonly #issues: Issue[] = []

  add(line: number, column: Column | undefined, message: Message) {
    this.#issues.push(issueAt(['body', 'csv', line, ...(column ? [column] : [])], message))
  }

  addAll(line: number, issues: readonly Issue[]) {
    for (const each of issues) this.#issues.push({ ...each, loc: ['body', 'csv', line, ...each.loc.slice(1)] })
  }

  require() {
    const more = this.#issues.length - maxIssues
    if (more > 0)
      throw invalid(...this.#issues.slice(0, maxIssues), issueAt(['body', 'csv'], messages.list_more_issues({ more })))
    if (more > -maxIssues) throw invalid(...this.#issues)
  }
}

/** `E-mail` and `Full name` are the same columns, as they stand in the exported list of users. */
const plainName = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

function readHeader(cells: readonly string[]): Column[] {
  const named = cells.map(cell => {
    const column = columns.find(each => plainName(each) === plainName(cell))
    if (!column) throw invalidField('csv', messages.list_column_unknown({ column: cell.trim(), known: columns }))
    return column
  })
  for (const column of columns) {
    const times = named.filter(each => each === column).length
    if (times > 1) throw invalidField('csv', messages.list_column_unknown({ column, known: columns }))
    if (times === 0 && column !== 'role') throw invalidField('csv', messages.list_column_missing({ column }))
  }
  return named
}

const { username, email, full_name } = UserInvitation.properties
const Row = Body({ username, email, full_name })

const formula = /^[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]/
const controlCharacter = /[\p{Cc}\p{Zl}\p{Zp}]/u

function checkCells(person: Listed, faults: Faults) {
  const suspicious = columns.filter(column => {
    const message = controlCharacter.test(person[column])
      ? messages.list_control_character()
      : formula.test(person[column])
        ? messages.list_formula()
        : undefined
    if (message) faults.add(person.line, column, message)
    return message !== undefined
  })
  // One sentence for each value is enough.
  if (suspicious.length > 0) return
  const { username, email, full_name } = person
  try {
    validate(Row, 'body', { username, email, full_name })
  } catch (error) {
    if (!(error instanceof AppError && Array.isArray(error.detail))) throw error
    faults.addAll(person.line, error.detail)
  }
}

function checkTwice(people: readonly Listed[], column: 'username' | 'email', faults: Faults) {
  const lines = new Map<string, number>()
  for (const person of people) {
    const key = person[column].toLowerCase()
    const line = lines.get(key)
    if (line === undefined) lines.set(key, person.line)
    else if (key !== '') faults.add(person.line, column, messages.list_named_twice({ line }))
  }
}

/** The people of the list, or the 422 that says by line what is wrong with it. */
export function readInvitations(csv: string): Listed[] {
  const [header, ...records] = readCsv(csv, 'csv')
  if (!header || records.length === 0) throw invalidField('csv', messages.list_empty())
  const named = readHeader(header.cells)
  if (records.length > maxPeople)
    throw invalidField('csv', messages.list_too_long({ people: records.length, maximum: maxPeople }))
  const faults = new Faults()
  const people = records.map(({ line, cells }): Listed => {
    if (cells.slice(named.length).some(cell => cell.trim() !== ''))
      faults.add(line, undefined, messages.list_line_too_long({ columns: named.length }))
    const textOf = (column: Column) => (cells[named.indexOf(column)] ?? '').trim()
    return {
      line,
      ...{ username: textOf('username'), email: textOf('email') },
      ...{ full_name: textOf('full_name'), role: textOf('role') },
    }
  })
  for (const person of people) checkCells(person, faults)
  checkTwice(people, 'username', faults)
  checkTwice(people, 'email', faults)
  faults.require()
  return people
}

/** What only the tenant's records say: its roles and its users. */
async function checkAgainstRecords({ tx }: ActionContext<unknown>, people: readonly Listed[]) {
  const faults = new Faults()
  const ids = new Map([...(await readRoles(tx))].map(([id, { name }]) => [name, id]))
  const known = await listNamed(tx, {
    usernames: people.map(({ username }) => username),
    emails: people.map(({ email }) => email),
  })
  const byName = new Map(known.map(user => [user.username.toLowerCase(), user.username]))
  const byEmail = new Map(known.map(user => [user.email.toLowerCase(), user.username]))
  const roles = people.map(({ line, username, email, role }) => {
    const [sameName, sameEmail] = [byName.get(username.toLowerCase()), byEmail.get(email.toLowerCase())]
    if (sameName !== undefined) faults.add(line, 'username', messages.list_person_known({ username: sameName }))
    else if (sameEmail !== undefined) faults.add(line, 'email', messages.list_person_known({ username: sameEmail }))
    if (!role) return undefined
    const id = ids.get(role)
    if (id === undefined) faults.add(line, 'role', messages.list_role_unknown({ role }))
    return id
  })
  faults.require()
  return roles
}

export const inviteMany = command({
  summary: 'Invite many users by e-mail',
  description:
    'Creates all users of the list and sends each an e-mail with a link that works once, within 48 hours, to choose a password. If anything is wrong with a line, nobody is created or invited, and each issue has the line and the column in `loc`.',
  permission: 'users.manage',
  input: { body: InvitationList },
  response: InvitedUsers,
  async prepare({ services }, { body }) {
    if (!services.post) throw conflict(messages.mail_not_set_up())
    const people = readInvitations(body.csv)
    // Nobody knows the password, so one does for all.
    return { people, password_hash: await hashUnknownPassword() }
  },
  async run(context, _input) {
    const { tx, services } = context
    const { people, password_hash } = context.prepared
    await requirePasswords(context.tx)
    const role_ids = await requireRoles(context, await checkAgainstRecords(context, people))
    const users = await addUsers(
      context,
      people.map(({ username, email, full_name }, place) => ({
        ...{ username, email, full_name, role_id: role_ids[place]! },
        ...{ password_hash, must_change_password: true },
      })),
      {
        invite: ids => requestPasswordLinks(tx, services, { users: ids, purpose: 'invitation' }),
        // One at a time and on record, as with single invitations: a list must not tell which of many people other tenants know.
        refuse: place =>
          invalid(issueAt(['body', 'csv', people[place]!.line], messages.username_or_email_taken())).withAuditEntry({
            event: 'user.invitations_refused',
            outcome: 'denied',
            reason: reasons.reason_names_in_use({ people: people.length }).text,
          }),
      },
    )
    return { invited: users.map(({ id, username, email, role }) => ({ id, username, email, role })) }
  },
})

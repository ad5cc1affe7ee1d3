// Whom a person stands in for today, by what both may do at this moment: a deputyship alone gives no right.
import { type ActionContext, type DeputyScope, deputyScopes, type Represented, type Services } from '#action'
import { dayIn } from '#kernel/day.ts'
import { forbidden, notFound } from '#kernel/errors.ts'
import { listPeople, mayApprove, type PersonAtWork, readSettings, todayOf } from '#modules/accounts'
import { messages } from './messages.ts'
import { type Current, findCurrent, findUser, listDeputiesOf, listRepresentedAround } from './queries.ts'
import { missingFor } from './rules.ts'

type Asking = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

/** The person for whom a deputy acts, and for what. */
export interface RepresentedPerson extends Represented {
  scopes: readonly DeputyScope[]
}

export const nameOf = ({ username, full_name }: { username: string; full_name: string | null }) => full_name ?? username

const personOf = ({ person_id, username, full_name }: Current): Represented => ({
  ...{ userId: person_id, username, fullName: full_name },
})

export const representedBy: Services['representedBy'] = async ({ tx, actor, services }, person_id, scope, how) => {
  const today = await todayOf({ tx, services })
  const asked = { person_id, deputy_id: actor.userId ?? 0, today }
  const found = await findCurrent(tx, asked, how)
  if (!found) {
    const user = await findUser(tx, person_id)
    if (!user) throw notFound('User')
    throw forbidden(messages.deputy_not_current({ person: nameOf(user) }))
  }
  const person = nameOf(found)
  if (!found.scopes.includes(scope)) throw forbidden(messages.deputy_scope_missing({ person, scope }))
  const represented = (await listPeople(tx)).find(({ userId }) => userId === person_id)
  if (!represented) throw forbidden(messages.deputy_person_inactive({ person }))
  const permissions = missingFor([scope], represented.permissions, actor.permissions)
  if (permissions.length > 0) throw forbidden(messages.deputy_lacks_permissions({ person, permissions }))
  return personOf(found)
}

/** The scopes in which the deputy can do now what the person may do. */
async function usable({ tx }: Pick<Asking, 'tx'>, found: readonly Current[]) {
  if (found.length === 0) return []
  const people = new Map((await listPeople(tx)).map(each => [each.userId, each]))
  const settings = await readSettings(tx)
  const can = (scope: DeputyScope, person: PersonAtWork, deputy: PersonAtWork) =>
    missingFor([scope], person.permissions, deputy.permissions).length === 0 &&
    (scope !== 'approvals' || mayApprove(settings, deputy))
  return found.flatMap(each => {
    const [person, deputy] = [people.get(each.person_id), people.get(each.deputy_id)]
    const scopes =
      person && deputy ? deputyScopes.filter(one => each.scopes.includes(one) && can(one, person, deputy)) : []
    return scopes.length > 0 ? [{ ...each, scopes }] : []
  })
}

/** The people for whom the actor acts today. */
export async function listRepresented({ tx, actor, services }: Asking): Promise<RepresentedPerson[]> {
  if (actor.userId === null) return []
  const [around, today] = await Promise.all([
    listRepresentedAround(tx, actor.userId, dayIn('UTC', services.clock.now())),
    todayOf({ tx, services }),
  ])
  const found = around.filter(({ starts_on, ends_on }) => starts_on <= today && today <= ends_on)
  return (await usable({ tx }, found)).map(each => ({ ...personOf(each), scopes: each.scopes }))
}

/** The deputies of these people today. */
export async function listCurrentDeputies(
  { tx, services }: Pick<Asking, 'tx' | 'services'>,
  people: readonly number[],
) {
  if (people.length === 0) return []
  return usable({ tx }, await listDeputiesOf(tx, people, await todayOf({ tx, services })))
}

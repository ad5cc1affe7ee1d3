import type { ActionContext } from '#action'
import { AppError } from '#kernel/errors.ts'
import { findAccount, listPeople, type OpenItem, readSettings, type WorkOfKind } from '#modules/accounts'
import { steppedJob } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { kindsOfWork } from './kinds.ts'
import { reasons } from './messages.ts'
import { takersInOrder } from './rules.ts'

/** So many records are locked in one transaction. */
const itemsPerStep = 20

interface Input {
  user_id: number
  successor_id: number | null
  reason: string | null
}

interface State {
  /** The kind of work that comes next, and the item after which it goes on. */
  kind: number
  after: number
  given: Record<number, number>
  left: number
}

export const handOverJob = steppedJob<Input, State>({
  name: 'accounts.hand_over',
  async step(context, { input, state: { kind = 0, after = 0, given = {}, left = 0 } }) {
    const { tx } = context
    const leaver = (await findAccount(tx, input.user_id))!
    const work = kindsOfWork[kind]
    // A user who was reactivated keeps what is left.
    if (!work || leaver.is_active) {
      await recordEnd(context, leaver, { given, left })
      return { state: { kind, after, given, left }, done: 0, skipped: 0, isOver: true }
    }
    const items = await work.list(tx, leaver.id, { after, limit: itemsPerStep })
    const team = await readTeam(tx)
    let done = 0
    for (const item of items) {
      const taker = await giveToFirst(context, work, item, { ...input, ...team, leaver, given })
      if (taker === undefined) continue
      given[taker] = (given[taker] ?? 0) + 1
      done += 1
    }
    const skipped = items.length - done
    const last = items.at(-1)
    const isMore = items.length === itemsPerStep
    const next = isMore ? { kind, after: last!.id } : { kind: kind + 1, after: 0 }
    return { state: { ...next, given, left: left + skipped }, done, skipped, isOver: false }
  },
})

/** Read once for all records of a step, which are handed over in its transaction. */
async function readTeam(tx: Tx) {
  const people = await listPeople(tx)
  const { hand_over_role: role } = await readSettings(tx)
  const usernames = new Map<number, string>()
  const nameOf = async (id: number) => {
    const name = usernames.get(id) ?? (await findAccount(tx, id))!.username
    usernames.set(id, name)
    return name
  }
  return { people, role, nameOf }
}

interface Offer extends Input, Awaited<ReturnType<typeof readTeam>> {
  leaver: { id: number; username: string }
  given: State['given']
}

/** Offers the item to each person in turn, and answers who took it; undefined if it stays with nobody. */
async function giveToFirst(
  context: ActionContext<unknown>,
  { needs, give }: WorkOfKind,
  item: OpenItem,
  { leaver, successor_id, reason, given, people, role, nameOf }: Offer,
): Promise<number | undefined> {
  for (const { userId: to, permissions } of takersInOrder(people, {
    leaver_id: leaver.id,
    successor_id,
    role,
    given,
  })) {
    if (!needs.every(each => permissions.has(each))) continue
    const said = reasons.reason_handed_over({ from: leaver.username, to: await nameOf(to), reason }).text
    try {
      return (await give(context, item, { from: leaver.id, to, reason: said })) ? to : undefined
    } catch (error) {
      // Separation of duties excludes this person, so the next one is asked.
      if (!(error instanceof AppError)) throw error
    }
  }
  return undefined
}

async function recordEnd(
  { tx, record }: ActionContext<unknown>,
  leaver: { id: number },
  { given, left }: Pick<State, 'given' | 'left'>,
) {
  const takers = Object.keys(given).map(Number)
  const names = await Promise.all(takers.map(async id => `${(await findAccount(tx, id))!.username}: ${given[id]}`))
  record('user.work_handed_over', leaver.id, { after: { taken: names.join(', ') || null, left }, notify: takers })
}

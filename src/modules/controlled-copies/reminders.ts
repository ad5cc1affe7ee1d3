import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { forEachDue, type Schedule } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { finish, lockForWork, managing } from './access.ts'
import { listManagers } from './holders.ts'
import { messages } from './messages.ts'
import { isNoticed, listOverdueCopies, requestedHolders, updateCopy } from './queries.ts'

const remind = command({
  summary: 'Notify that a controlled copy is overdue',
  permission: managing,
  input: { params: IdParams },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx } = context
    const copy = await lockForWork(context, params.id)
    if (!copy.overdue || (await isNoticed(tx, copy.id)))
      throw conflict(messages.controlled_copy_reminder_not_due({ number: copy.number }))
    await updateCopy(tx, copy.id, { overdue_noticed: true })
    await finish(context, copy, {
      event: 'controlled_copy.overdue',
      ...(copy.confirmed_at === null && { assignees: [copy.holder.id] }),
      notify: await listManagers(tx),
    })
    return null
  },
})

const maxPerRun = 100

/** Once for each copy: to its holder, and to the people who reconcile it. */
export const copyReminders: Schedule = {
  name: 'controlled_copies.remind',
  every_minutes: 24 * 60,
  round: forEachDue({
    where: { task: 'controlled_copies.remind' },
    due: ({ services, read }) =>
      read(async tx =>
        (await listOverdueCopies(tx, await todayOf({ tx, services }), maxPerRun)).map(params => ({ params })),
      ),
    action: remind,
  }),
}

/** A request to a holder is open until they have said what became of the copy. */
export const requestsOfCopies = {
  permission: managing,
  async stillAsks(tx: Tx, _type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
    return (await requestedHolders(tx, id, user_ids)).map(({ holder_id }) => holder_id)
  },
} as const

import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import type { EventName } from '#kernel/catalogue.ts'
import { conflict } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { todayOf } from '#modules/accounts'
import { caseMessages, filterReaders, lockCase } from '#modules/casework'
import { forEachDue, type Schedule } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { noticeAt } from '../rules.ts'
import { type Due, dueActions, dueCapas, dueReviews, setNotice } from './queries.ts'

/** A kind of due date that people are reminded of. */
interface Kind {
  /** Part of the name of the schedule. */
  name: 'due_dates' | 'actions' | 'reviews'
  resource: 'capa' | 'effectiveness_review'
  table: 'capas' | 'capa_actions' | 'effectiveness_reviews'
  find(tx: Tx, today: string, only?: number): Promise<Due[]>
}

const maxAtOnce = 100

/** The ids of the item and of its CAPA. */
const Params = Type.Object({ id: Id, capa_id: Id })

const reminderOf = ({ name, resource, table, find }: Kind): Schedule => ({
  name: `capas.tell_of_${name}`,
  every_minutes: 15,
  round: forEachDue({
    where: { task: `capas.tell_of_${name}` },
    due: ({ services, read }) =>
      read(async tx =>
        (await find(tx, await todayOf({ tx, services }))).map(({ id, capa_id }) => ({ params: { id, capa_id } })),
      ),
    action: command({
      summary: `Tell of ${name} of CAPAs that are due soon or overdue`,
      permission: 'capa.read',
      input: { params: Params },
      response: Type.Null(),
      async run(context: ActionContext<unknown>, { params }) {
        const { tx, record } = context
        await lockCase(tx, 'capa', params.capa_id)
        const today = await todayOf(context)
        const [due] = await find(tx, today, params.id)
        if (!due) throw conflict(caseMessages.record_reminder_not_due())
        const { isOverdue, next } = noticeAt(due.due_date, today)
        await setNotice(tx, table, due.id, next)
        const event: EventName = `${resource}.${isOverdue ? 'overdue' : 'due_soon'}`
        record(event, resource === 'capa' ? due.capa_id : due.id, {
          number: due.number,
          after: { due_date: due.due_date, ...(due.action && { action_id: due.id, action: due.action }) },
          notify: await filterReaders(tx, 'capa', due.people),
        })
        return null
      },
    }),
  }),
})

/** One reminder before each due date, and one after it. */
export const capaReminders: readonly Schedule[] = [
  reminderOf({ name: 'due_dates', resource: 'capa', table: 'capas', find: dueCapas(maxAtOnce) }),
  reminderOf({ name: 'actions', resource: 'capa', table: 'capa_actions', find: dueActions(maxAtOnce) }),
  reminderOf({
    name: 'reviews',
    resource: 'effectiveness_review',
    table: 'effectiveness_reviews',
    find: dueReviews(maxAtOnce),
  }),
]

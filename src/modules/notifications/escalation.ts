import { Type } from 'typebox'
import { type ActionContext, command } from '#action'
import { dayIn } from '#kernel/day.ts'
import { conflict } from '#kernel/errors.ts'
import { Body, Id } from '#kernel/schema.ts'
import { listPeople, readSettings } from '#modules/accounts'
import { forEachDue, type Schedule } from '#modules/jobs'
import type { Tx } from '#platform/db/database.ts'
import { type Delivery, deliver } from './deliver.ts'
import {
  type AboutRecord,
  type IgnoredRow,
  listIgnored,
  lockIgnored,
  markEscalated,
  settleEscalation,
} from './escalation-queries.ts'
import { nextInCharge } from './in-charge.ts'
import { messages } from './messages.ts'
import { currentTransaction, markSettled } from './queries.ts'
import { type Requests, requests } from './requests.ts'
import { type NotificationType, priorities } from './types.ts'

interface Step {
  rows: IgnoredRow[]
  to: number[]
}

/** Groups the readers by request and by the people above them; `settled` are not to be escalated, of which `over` ask nothing any more. */
async function plan(tx: Tx, about: AboutRecord, ignored: IgnoredRow[], asked: Requests | undefined) {
  const settled: IgnoredRow[] = []
  const over: IgnoredRow[] = []
  const steps = new Map<string, Step>()
  const people = await listPeople(tx)
  for (const [type, rows] of Map.groupBy(ignored, each => each.type)) {
    const readers = [...new Set(rows.map(({ user_id }) => user_id))]
    const waitsFor = (await asked?.stillAsks(tx, type, about.resource_id, readers)) ?? []
    const isReported = waitsFor.length > 0 && (await asked?.isReportedByWorkflow?.(tx, type, about.resource_id))
    for (const row of rows) {
      const isOpen = waitsFor.includes(row.user_id)
      if (!isOpen) over.push(row)
      const to = asked && isOpen && !isReported ? nextInCharge(people, row.user_id, asked.permission) : []
      if (to.length === 0) {
        settled.push(row)
        continue
      }
      const key = `${type} ${to.join()}`
      const step = steps.get(key) ?? { rows: [], to }
      step.rows.push(row)
      steps.set(key, step)
    }
  }
  return { settled, over, steps: [...steps.values()] }
}

function deliveryOf(
  { rows, to }: Step,
  about: AboutRecord,
  { time_zone, transaction }: Record<'time_zone' | 'transaction', string>,
): Delivery {
  const [first] = rows as [IgnoredRow]
  const readers = [...new Set(rows.map(({ reader }) => reader))]
  const rank = Math.max(...rows.map(({ priority }) => priorities.indexOf(priority)))
  return {
    type: 'escalation',
    priority: priorities[Math.min(rank + 1, priorities.length - 1)]!,
    message: messages.escalation({
      ...first.params,
      readers,
      notified_on: dayIn(time_zone, new Date(first.created_at)),
      request: first.code,
      request_title: first.title,
      request_text: first.message,
    }),
    ...about,
    to,
    dedupe_key: `escalation:${first.type}:${about.resource_type}:${about.resource_id}:${to.join()}:${transaction}`,
    // Told once: nobody above them is told that they ignore it as well.
    requires_action: false,
    is_request: false,
  }
}

async function escalate({ tx, services, record }: ActionContext<unknown>, about: AboutRecord) {
  const { escalation_hours, time_zone } = await readSettings(tx)
  const now = services.clock.now()
  const ignored = await lockIgnored(tx, about, escalation_hours, now)
  if (ignored.length === 0) throw conflict(messages.notification_nothing_to_escalate())
  const { settled, over, steps } = await plan(tx, about, ignored, requests[about.resource_type])
  const transaction = await currentTransaction(tx)
  await deliver(
    tx,
    steps.map(step => deliveryOf(step, about, { time_zone, transaction })),
    { post: services.post, now },
  )
  const idsOf = (rows: IgnoredRow[]) => rows.map(({ id }) => id)
  for (const { rows, to } of steps) {
    await markEscalated(tx, idsOf(rows), now)
    const type: NotificationType = rows[0]!.type
    record('notification.escalated', rows[0]!.id, {
      after: { ...about, type, ignored_by: rows.map(({ user_id }) => user_id), told: to },
    })
  }
  if (settled.length > 0) {
    await settleEscalation(tx, idsOf(settled))
    await markSettled(tx, idsOf(over), now)
    record('notification.settled', null, { after: { ...about, settled: settled.length } })
  }
}

const recordsAtOnce = 200

/** The fewest hours that a tenant can set. */
const shortestMs = 3_600_000

/** Notifies the next person in charge of a request that its reader leaves unread, as long as it is open. */
export const escalateIgnored: Schedule = {
  name: 'notifications.escalate',
  every_minutes: 15,
  round: forEachDue({
    where: { task: 'notifications.escalate', before: ({ clock }) => new Date(clock.now().getTime() - shortestMs) },
    due: ({ services, read }) =>
      read(async tx => {
        const { escalation_hours } = await readSettings(tx)
        const records = await listIgnored(tx, escalation_hours, services.clock.now(), recordsAtOnce)
        return records.map(body => ({ body }))
      }),
    action: command({
      summary: 'Notify the next person in charge of an unread request',
      permission: 'notifications.manage',
      input: { body: Body({ resource_type: Type.String(), resource_id: Id }) },
      response: Type.Null(),
      async run(context, { body }) {
        await escalate(context, body)
        return null
      },
    }),
  }),
}

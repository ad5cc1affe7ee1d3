import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { messages, reasons } from '../messages.ts'
import { listAdmins } from '../people-queries.ts'
import { listUntriedBreakGlass, lockCredentials, noteBreakGlassReminder } from '../queries.ts'

/** A quarter: a password that nobody has typed for longer may be lost without anybody knowing. */
const untried_days = 90
export const untriedSince = (now: Date) => new Date(now.getTime() - untried_days * 24 * 60 * 60 * 1000)

/** The break-glass accounts that nobody has tried for a quarter, and of which nobody was reminded since. */
export const untriedBreakGlass = (tx: Parameters<typeof listUntriedBreakGlass>[0], now: Date) =>
  listUntriedBreakGlass(tx, untriedSince(now).toISOString())

export const remindOfBreakGlass = command({
  summary: 'Notify that a break-glass account is to be tried',
  permission: 'sso.manage',
  input: { params: IdParams },
  response: Type.Null(),
  async run({ tx, services, record }, { params: { id } }) {
    await lockCredentials(tx, id)
    const now = services.clock.now()
    if (!(await untriedBreakGlass(tx, now)).some(each => each.id === id)) throw conflict(messages.break_glass_tried())
    await noteBreakGlassReminder(tx, id, now)
    record('user.break_glass_untried', id, {
      reason: reasons.reason_break_glass_untried({ days: untried_days }).text,
      notify: await listAdmins(tx),
    })
    return null
  },
})

import { Type } from 'typebox'
import { command } from '#action'
import { conflict } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { listAdmins } from '#modules/accounts'
import { listEnding, lockEnding, noteWarned } from '#modules/api-keys'
import { forEachDue, type Schedule } from '#modules/jobs'
import { nameOfApiKey } from '#platform/crypto/api-key.ts'
import { managing } from './actions.ts'
import { messages } from './messages.ts'

/** Each round; the next one finds the rest. */
const maxNotices = 200

const warn = command({
  summary: 'Tell that a key of a service account ends soon',
  permission: managing,
  input: { params: Type.Object({ id: Id }) },
  response: Type.Null(),
  async run({ tx, actor, services, record }, { params: { id } }) {
    const key = await lockEnding(tx, id, services.clock.now())
    if (!key) throw conflict(messages.api_key_notice_not_due())
    await noteWarned(tx, id, key.days)
    record('api_key.expiring', id, {
      after: {
        ...{ service_account: key.username, name: key.name, expires_at: key.expires_at, days: key.days },
        prefix: nameOfApiKey({ tenantId: actor.tenantId, keyId: id }),
      },
      notify: [...new Set([key.owner_id!, ...(await listAdmins(tx))])],
    })
    return null
  },
})

/** KEY-01: 30, 7 and 1 days before the end of a key. */
export const keyReminders: Schedule = {
  name: 'api_keys.reminders',
  every_minutes: 60,
  round: forEachDue({
    where: { task: 'api_keys.reminders' },
    due: async ({ read, services }) =>
      (await read(tx => listEnding(tx, services.clock.now(), maxNotices))).map(({ id }) => ({ params: { id } })),
    action: warn,
  }),
}

import { mailPosting } from '#modules/mail'
import type { World } from '../world/world.ts'

/** A message that nobody sends, because the tests' world has no mail server. */
export const addMail = (world: World, { to, notification }: { to: string; notification: number }) => {
  const { id: user_id, tenant_id } = world.people[to]!
  const from = { name: '', address: 'attest@qms.example' }
  const post = mailPosting({
    mail: { smtp_url: 'smtp://localhost', tls: 'none', ca_file: undefined, from },
    public_url: undefined,
  })!
  return world.database.transaction({ tenantId: tenant_id, userId: null }, 'read write', tx =>
    post(tx, [{ user_id, kind: 'notification', notification_ids: [notification] }]),
  )
}

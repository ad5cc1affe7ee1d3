import { mailPosting } from '#modules/mail'
import type { World } from '../world/world.ts'

/** A message that failed, because the tests' world has no mail server, and a link. And a code as an empty installation has one. */
export const addMail = async (world: World, { to, notification }: { to: string; notification: number }) => {
  const { id: user_id, tenant_id } = world.people[to]!
  const from = { name: '', address: 'attest@qms.example' }
  const post = mailPosting({
    mail: { smtp_url: 'smtp://localhost', tls: 'none', ca_file: undefined, from },
    public_url: undefined,
  })!
  await world.superuser.query(
    `begin; set local session_replication_role = replica;
     insert into password_links (tenant_id, user_id, purpose, requested_by, requested_at)
       values (${tenant_id}, ${user_id}, 'reset', null, now());
     insert into setup_codes (tenant_id, code_hash, company_id, issued_at, expires_at)
       values (${tenant_id}, sha256('${to}'), 2, now(), now() + interval '1 day'); commit`,
  )
  await world.database.transaction({ tenantId: tenant_id, userId: null }, 'read write', tx =>
    post(tx, [{ user_id, kind: 'notification', notification_ids: [notification] }]),
  )
  const [mail] = await world.rows<{ id: string }>('select max(id) as id from mails where tenant_id = $1', [tenant_id])
  return { mail: Number(mail!.id) }
}

/** As if the mail server had refused it in every attempt. */
export const failMail = (world: World, id: number) =>
  world.superuser.query(
    `update mails set status = 'failed', failed_at = now(), sent_at = null, attempts = 13, error = '550 no such user here' where id = $1`,
    [id],
  )

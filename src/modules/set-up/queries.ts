import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

/** Starts of several hosts at the same moment agree on one id. */
export async function takeCompanyId(tx: Tx): Promise<number> {
  await sql`select from tenants where id = (select current_tenant()) for no key update`.execute(tx)
  const { rows } = await sql<{ id: number }>`
    select coalesce((select company_id from setup_codes order by id limit 1), nextval('tenants_id_seq')) as id`.execute(
    tx,
  )
  return rows[0]!.id
}

export const insertCode = (
  tx: Tx,
  code: { code_hash: Buffer; company_id: number; issued_at: string; expires_at: string },
) => tx.insertInto('setup_codes').values(code).returning('id').executeTakeFirstOrThrow()

/** Those that nobody has used. */
export const listCodes = (tx: Tx) =>
  tx
    .selectFrom('setup_codes')
    .select(['id', 'company_id', 'issued_at', 'expires_at'])
    .select(sql<Buffer>`code_hash`.as('code_hash'))
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute()

export const endCodes = (tx: Tx, at: Date) =>
  tx
    .updateTable('setup_codes')
    .set({ ended_at: at.toISOString() })
    .where('ended_at', 'is', null)
    .returning(['id', 'issued_at', 'expires_at', 'ended_at'])
    .execute()

/** What is there of each step. The Admin is one of the people. */
export const readFacts = async (tx: Tx) =>
  (
    await sql<{
      name: string
      has_time_zone: boolean
      has_language: boolean
      active: number
      invited: number
      has_provider: boolean
      has_sent_mail: boolean
      uploaded: number
      effective: number
    }>`
      select t.name, t.settings ? 'time_zone' as has_time_zone, t.settings ? 'language' as has_language,
        (select count(*) from users where kind = 'person' and is_active)::int as active,
        (select count(*) from users u join credentials c on c.tenant_id = u.tenant_id and c.user_id = u.id
          where u.kind = 'person' and u.is_active and c.last_login_at is null)::int as invited,
        exists (select from identity_providers where is_active) as has_provider,
        exists (select from mails where status = 'sent') as has_sent_mail,
        (select count(*) from documents)::int as uploaded,
        (select count(*) from documents where effective_version_id is not null)::int as effective
      from tenants t where t.id = (select current_tenant())`.execute(tx)
  ).rows[0]!

export const listRolesWithPeople = async (tx: Tx) =>
  (
    await sql<{ id: number; name: string; description: string; people: number }>`
      select r.id, r.name, r.description, count(u.id)::int as people from roles r
      left join users u on u.tenant_id = r.tenant_id and u.role_id = r.id and u.is_active and u.kind = 'person'
      group by r.tenant_id, r.id order by r.id`.execute(tx)
  ).rows

export const listActiveTypes = (tx: Tx) =>
  tx
    .selectFrom('document_types as t')
    .innerJoin('workflow_templates as w', join =>
      join.onRef('w.tenant_id', '=', 't.tenant_id').onRef('w.id', '=', 't.workflow_template_id'),
    )
    .select(['t.id', 't.name', 't.prefix', 't.is_builtin', 't.revision', 'w.id as workflow_id'])
    .select(['w.name as workflow_name', 'w.version as workflow_version'])
    .where('t.is_active', '=', true)
    .orderBy('t.prefix')
    .execute()

export const findLastTest = async (tx: Tx) =>
  (
    await sql<{ tested_at: string; outcome: 'success' | 'failed'; problem: string | null }>`
      select occurred_at as tested_at, outcome, reason as problem from audit_entries
      where action = 'mail.tested' order by id desc limit 1`.execute(tx)
  ).rows[0]

import { createHash, randomUUID } from 'node:crypto'
import type pg from 'pg'
import type { World } from '../world/world.ts'

interface ForgedSignature {
  kind: 'disposal' | 'file_removal'
  id: number
  number: string
  status: string
  /** Which of the signatures of the record it is. */
  ref: string
  previous: string | null
  content?: object
}

/** What somebody with the login attest_app writes past the service, in a transaction as one of the people. */
export function insiderOf(now: () => { world: World; app: pg.Client }) {
  const insertEntry = (action: string, resource_id: number) =>
    now().app.query(
      `insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
       values ('ada', 'Admin', '', 'success', $1, $2, $3, '{}', '')`,
      [action, action.split('.')[0], resource_id],
    )
  return {
    async begin(name: string) {
      const { world, app } = now()
      const { id, tenant_id } = world.people[name]!
      await app.query(
        `begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'; set local app.transaction_id = '${randomUUID()}'`,
      )
    },
    insertEntry,
    /** A row of a signature as the service writes it, which nothing but the key of the service can seal. */
    async insertSignature({ kind, id, number, status, ref, previous, content = {} }: ForgedSignature) {
      const { world, app } = now()
      const { rows: people } = await app.query(
        `select id, username, full_name, tenant_id from users where id = current_setting('app.user_id')::bigint`,
      )
      const [{ id: signer, username, full_name, tenant_id }] = people
      const [key] = await world.rows<{ key_id: string }>(
        'select key_id from signing_keys order by created_at desc limit 1',
      )
      const signed_at = new Date().toISOString()
      const payload = JSON.stringify({
        ...{ v: '2', tenant: String(tenant_id), signature_type: kind, intent: 'Forged', time_zone: 'UTC', previous },
        signer: { id: String(signer), username, full_name, role: 'QA' },
        auth: { method: 'session', time: signed_at },
        ...{ signed_at, request_id: '', client_addr: '', occasion: { kind, ref }, content, files: [] },
        record: { type: kind, id: String(id), number, status, content_revision: '1' },
      })
      const digest = createHash('sha256').update(payload).digest('hex')
      const seal = Buffer.alloc(64, 7).toString('base64')
      const { rows: made } = await app.query(
        `insert into signatures (${kind}_id, record_number, content_revision, signature_type, intent, occasion_kind, occasion_ref,
           previous_digest, signer_username, signer_full_name, signer_role, method, signed_at, time_zone, request_id, client_addr, format,
           payload, digest, key_id, seal)
         values ($1, $2, 1, $3, 'Forged', $3, $4, $5, $6, $7, 'QA', 'session', $8, 'UTC', '', '', 2, $9, $10, $11, $12) returning id`,
        [id, number, kind, ref, previous, username, full_name, signed_at, payload, digest, key!.key_id, seal],
      )
      await insertEntry('signature.created', Number(made[0].id))
      return digest
    },
  }
}

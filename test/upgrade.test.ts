// What an installation has when a newer program migrates it: its records are as they were, and complete for what is new.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pg from 'pg'
import { migrate } from '#platform/db/migrate.ts'
import { emptyDatabase, quiet } from './postgres.ts'

/** An installation as `newest` had it, filled without triggers, then migrated and looked at. */
async function upgraded(
  newest: string,
  fill: (client: pg.Client) => Promise<void>,
  look: (client: pg.Client) => Promise<void>,
) {
  const postgres = await emptyDatabase()
  const client = new pg.Client(postgres.superuser)
  await client.connect()
  try {
    await migrate(postgres.owner, quiet, undefined, newest)
    await client.query('set session_replication_role = replica')
    await fill(client)
    await client.query('set session_replication_role = origin')
    await migrate(postgres.owner, quiet)
    await look(client)
  } finally {
    await client.end()
    await postgres.drop()
  }
}

describe('an installation of an older program', () => {
  it('knows the day on which each version became effective, where its tenant is, and when people are told of its review', async () => {
    await upgraded(
      '0005_signatures.sql',
      async client => {
        await client.query(`insert into tenants (id, slug, name, settings) values
        (2, 'berlin', 'Berlin', '{"time_zone": "Europe/Berlin"}'), (3, 'greenwich', 'Greenwich', '{}')`)
        for (const tenant of [2, 3])
          await client.query(
            `insert into document_versions (tenant_id, document_id, major, minor, change_type, title, file_key, file_name, file_size,
             content_type, sha256, workflow_template_id, workflow_template_version, status, status_kind, effective_at, review_due_date, created_by)
           select $1, 1, n, 0, 'major', 'x', 'file ' || n, 'x', 1, 'x', repeat('0', 64), 1, 1, state, kind, at::timestamptz, due::date, 1
           from (values (1, 'superseded', 'final', '2025-06-30T22:30:00Z', '2027-06-30'),
             (2, 'effective', 'effective', '2025-12-31T22:59:59Z', '2027-12-31'), (3, 'draft', 'initial', null, null)) as v (n, state, kind, at, due)`,
            [tenant],
          )
      },
      async client => {
        const { rows } = await client.query<{ days: (string | null)[] }>(
          'select array_agg(effective_date::text order by major) as days from document_versions group by tenant_id order by tenant_id',
        )
        assert.deepEqual(
          rows.map(({ days }) => days),
          [
            ['2025-07-01', '2025-12-31', null],
            ['2025-06-30', '2025-12-31', null],
          ],
        )
        const { rows: reviews } = await client.query(
          `select review_due_date::text as due, review_notice_on::text as notice from document_versions where tenant_id = 2 order by major`,
        )
        const none = { due: null, notice: null }
        assert.deepEqual(reviews, [none, { due: '2027-12-31', notice: '2027-12-01' }, none])
        const { rows: forced } = await client.query(
          `select relforcerowsecurity, (select bool_and(tgenabled = 'O') from pg_trigger where tgrelid = c.oid and not tgisinternal) as guarded
         from pg_class c where oid = 'document_versions'::regclass`,
        )
        assert.deepEqual(forced, [{ relforcerowsecurity: true, guarded: true }])
      },
    )
  })

  it('knows how many documents there are of each kind, also by the days of a time zone that is still being counted by', async () => {
    await upgraded(
      '0054_statistics_of_another_zone.sql',
      async client => {
        await client.query(`insert into tenants (id, slug, name) values (2, 'acme', 'Acme');
        insert into stat_zones (tenant_id, time_zone, up_to_source, up_to_id) values (2, 'UTC', 1000, 0), (2, 'Asia/Tokyo', 2, 3);
        insert into document_index (tenant_id, version_id, document_id, number, title, document_type_id, status, status_kind, owner_id,
          created_by, dated, is_shown, is_restricted)
        select 2, n, n, 'SOP-' || n, 'x', 1, kind, kind, 1, 1, '2025-01-01', n <> 2, false
        from unnest(array['effective', 'effective', 'initial', 'effective', 'final']) with ordinality as v (kind, n)`)
      },
      async client => {
        const { rows } = await client.query(
          `select time_zone, string_agg(key || ' ' || n, ', ' order by key) as counts from stat_counts
         where tenant_id = 2 and measure = 'documents.kind' group by 1 order by 1`,
        )
        assert.deepEqual(rows, [
          { time_zone: 'Asia/Tokyo', counts: 'effective 1, initial 1' },
          { time_zone: 'UTC', counts: 'effective 2, final 1, initial 1' },
        ])
      },
    )
  })
})

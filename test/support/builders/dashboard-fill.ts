import type { World } from '../world/world.ts'

/**
 * Records of acme by statement, of each kind so many that are over and so many that are open: half of those overdue, the others due
 * today. Quinn is who has to do them, but for documents, which Alan wrote and QA reviews.
 */
export async function fillDashboards({ superuser, people }: World, { over, open }: { over: number; open: number }) {
  const { tenant_id, id: quinn } = people.quinn!
  const total = over + open
  const run = (statement: string, ...values: unknown[]) => superuser.query(statement, values)
  await run(`set app.tenant_id = '${tenant_id}'`)
  await run('set session_replication_role = replica')
  const { rows } = await superuser.query<{ first: number }>(
    `select greatest((select count(*) from deviations), (select count(*) from documents)) + 1000000 as first`,
  )
  const first = Number(rows[0]!.first)
  const days = `case when n % 2 = 0 then current_date - 3 else current_date end`
  await run(
    `insert into deviations (number, title, description, severity, status, detected_at, reported_at, reported_by, assigned_to,
       due_date, original_due_date, closed_at, closed_by)
     select 'DEV-' || n, 'Deviation ' || n, 'Of many', 'minor',
       case when n < $1 + $2 then 'closed' when n % 3 = 0 then 'pending_approval' else 'open' end, now(), now(), $4, $4, ${days},
       current_date, case when n < $1 + $2 then now() end, case when n < $1 + $2 then $4::bigint end
     from generate_series($1::int, $1 + $3 - 1) n`,
    first,
    over,
    total,
    quinn,
  )
  await run(
    `insert into capas (number, title, description, type, source, priority, status, due_date, original_due_date, assigned_to,
       created_by, closed_at, closed_by)
     select 'CAPA-' || n, 'CAPA ' || n, 'Of many', 'corrective', 'deviation', 'medium',
       case when n < $1 + $2 then 'closed' when n % 3 = 0 then 'draft' else 'in_progress' end, ${days}, current_date, $4, $4,
       case when n < $1 + $2 then now() end, case when n < $1 + $2 then $4::bigint end
     from generate_series($1::int, $1 + $3 - 1) n`,
    first,
    over,
    total,
    quinn,
  )
  await run(
    `insert into capa_actions (capa_id, position, description, assigned_to, due_date, status, completed_at, completed_by)
     select id, 1, 'Fit a pump', $1, due_date, case when status = 'closed' then 'done' else 'open' end,
       case when status = 'closed' then now() end, case when status = 'closed' then $1::bigint end
     from capas where number = any(select 'CAPA-' || n from generate_series($2::int, $2 + $3 - 1) n)`,
    quinn,
    first,
    total,
  )
  await run(
    `insert into effectiveness_reviews (capa_id, number, status, criteria, method, due_date, reviewer_id, completed_at, result, conclusion)
     select id, 1, case when status = 'closed' then 'completed' else 'planned' end, 'None again', 'trend', due_date, $1,
       case when status = 'closed' then now() end, case when status = 'closed' then 'effective' end,
       case when status = 'closed' then 'None' end
     from capas where number = any(select 'CAPA-' || n from generate_series($2::int, $2 + $3 - 1) n)`,
    quinn,
    first,
    total,
  )
  await run(
    `with programs as (insert into training_programs (number, title, type, due_days)
       select 'TRN-' || n, 'Gowning ' || n, 'classroom', 14 from generate_series($1::int, $1 + $3 - 1) n returning id, number)
     insert into training_assignments (program_id, user_id, status, source, due_date, reason)
     select id, $4, case when n < $1 + $2 then 'cancelled' else 'assigned' end, 'manual', ${days},
       case when n < $1 + $2 then 'Not needed' end
     from programs, lateral (select substr(number, 5)::int as n) named`,
    first,
    over,
    total,
    quinn,
  )
  await run(
    `with type as (select id, workflow_template_id, prefix from document_types where tenant_id = $4 and name = 'SOP'),
       made as (insert into documents (number, document_type_id, owner_id, created_by, updated_by)
         select 'SOP-' || n, type.id, $5, $5, $5 from type, generate_series($1::int, $1 + $3 - 1) n returning id, number)
     insert into document_versions (document_id, major, minor, change_type, title, file_key, file_name, file_size, content_type, sha256,
       workflow_template_id, workflow_template_version, status, status_kind, round, effective_date, effective_at, review_due_date,
       approval_due_date, created_by)
     select made.id, 1, 0, 'major', 'Procedure ' || number, 'none/' || number, 'procedure.pdf', 1000, 'application/pdf', repeat('0', 64),
       type.workflow_template_id, 1, case when is_over then 'effective' else 'in_review' end,
       case when is_over then 'effective' else 'review' end, 1, case when is_over then current_date end,
       case when is_over then now() end, case when is_over then current_date + 300 end,
       case when not is_over then case when n % 2 = 0 then current_date - 3 else current_date end end, $5
     from made, type, lateral (select substr(number, 5)::int as n) named, lateral (select n < $1 + $2 as is_over) standing`,
    first,
    over,
    total,
    tenant_id,
    people.alan!.id,
  )
  await run(
    `update documents d set latest_version_id = v.id, effective_version_id = case when v.status_kind = 'effective' then v.id end
     from document_versions v where v.document_id = d.id and d.latest_version_id is null`,
  )
  await run('reset session_replication_role')
  await run('reset app.tenant_id')
  for (const table of ['deviations', 'capas', 'capa_actions', 'effectiveness_reviews', 'training_assignments'])
    await run(`vacuum analyze ${table}`)
  await run('vacuum analyze documents')
  await run('vacuum analyze document_versions')
}

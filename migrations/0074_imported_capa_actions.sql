-- The actions of a CAPA that a batch brought in. Who completed and verified them before is a name as recorded in the source: nobody did it here.
call imported_table('capa_actions', 'capa_action');

alter table capa_actions
  add column completed_by_name text check (completed_by_name <> ''),
  add column approved_by_name text check (approved_by_name <> ''),
  add check (completed_by_name is null or (migration_batch_id is not null and completed_at is not null and completed_by is null)),
  add check (approved_by_name is null or (migration_batch_id is not null and approved_at is not null and approved_by is null)),
  add check (approved_at is null or status = 'done');
comment on column capa_actions.completed_by_name is 'The name of the person who completed it before the import, as recorded in the source.';
comment on column capa_actions.approved_by_name is 'The name of the person who verified it before the import, as recorded in the source.';

do $$
declare
  replaced record;
  found integer := 0;
begin
  for replaced in
    select conname, pg_get_expr(conbin, conrelid) as expression,
      case pg_get_expr(conbin, conrelid) when '((completed_at IS NULL) = (completed_by IS NULL))' then 'completed_by' else 'approved_by' end as person
    from pg_constraint where contype = 'c' and conrelid = 'capa_actions'::regclass and pg_get_expr(conbin, conrelid) in (
      '((completed_at IS NULL) = (completed_by IS NULL))', '((approved_at IS NULL) = (approved_by IS NULL))')
  loop
    execute format('alter table capa_actions drop constraint %I, add constraint %I check (%s or (migration_batch_id is not null and %I is null))',
      replaced.conname, replaced.conname, replaced.expression, replaced.person);
    found := found + 1;
  end loop;
  if found <> 2 then raise exception 'capa_actions has % of the 2 constraints to be replaced', found; end if;
end $$;

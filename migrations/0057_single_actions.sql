-- An action of a CAPA is changed by itself, so two people who report on two actions at the same moment do not conflict. Its revision tells a
-- change that rests on an older state of the same action; that of the CAPA counts too. The evidence of an action may name files of the CAPA.
alter table capa_actions
  add column attachment_ids bigint[] not null default '{}',
  add column revision integer not null default 1,
  add column updated_at timestamptz not null default now(),
  add column updated_by bigint default current_actor(),
  add foreign key (tenant_id, updated_by) references users (tenant_id, id);
create index capa_actions_editor on capa_actions (tenant_id, updated_by);

-- Attachments are never removed and never move to another record, so it is enough to look when they are named.
create function require_files_of_capa() returns trigger language plpgsql as $$
begin
  if exists (
    select from unnest(new.attachment_ids) named(id) where not exists (
      select from attachments a where a.tenant_id = new.tenant_id and a.capa_id = new.capa_id and a.id = named.id)
  ) then
    raise exception 'action % names a file that is not of its CAPA', new.id using errcode = 'QA002';
  end if;
  return new;
end $$;
create trigger files_of_capa before insert or update of attachment_ids on capa_actions for each row
  when (new.attachment_ids <> '{}') execute function require_files_of_capa();

-- What was begun stays: it is cancelled instead. The audit trail keeps an action that was removed.
grant delete on capa_actions to attest_app;
create function keep_begun_action() returns trigger language plpgsql as $$
begin
  raise exception 'action % is %, and only an open one is removed', old.id, old.status using errcode = 'QA002';
end $$;
create trigger keep_begun before delete on capa_actions for each row
  when (old.status <> 'open') execute function keep_begun_action();

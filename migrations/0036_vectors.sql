-- Passages are found by vectors: those of texts that are alike are near to each other. They are made from the pieces of the texts, by a
-- model that the installation is configured with, and may be made again.

create table embedding_models (
  id bigint generated always as identity primary key,
  -- Provider, model and dimensions: vectors of one are not comparable to those of another.
  name text not null unique,
  dimensions integer not null check (dimensions between 16 and 4096),
  -- The one whose vectors a query is compared with; the others are being made, or are of no use any more.
  is_searched boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index embedding_models_searched on embedding_models (is_searched) where is_searched;
grant select on embedding_models to attest_app;

-- All passages of a version: a byte for each dimension of each, -127 to 127, those of position 0 first.
create table version_vectors (
  tenant_id bigint not null default current_tenant() references tenants,
  version_id bigint not null,
  model_id bigint not null references embedding_models,
  vectors bytea not null,
  primary key (tenant_id, version_id, model_id),
  foreign key (tenant_id, version_id) references document_texts (tenant_id, version_id)
);
-- Some bytes in the middle are read without the others.
alter table version_vectors alter vectors set storage external;
create index version_vectors_model on version_vectors (model_id, tenant_id, version_id);
call tenant_table('version_vectors', 'select, insert, delete');

-- The signs of a vector, a bit for each dimension: all of a tenant's are read for a query, so the rows are narrow.
create table chunk_bits (
  tenant_id bigint not null default current_tenant() references tenants,
  model_id bigint not null,
  version_id bigint not null,
  position integer not null check (position >= 0),
  bits bit varying not null,
  primary key (tenant_id, version_id, model_id, position),
  foreign key (tenant_id, version_id, model_id) references version_vectors (tenant_id, version_id, model_id) on delete cascade
);
call tenant_table('chunk_bits', 'select, insert, delete');

-- What is not the text any more is not found by it, and is made again.
create function forget_vectors() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Who is making them waits for this to be over, and then finds another text.
  perform from document_texts t where (t.tenant_id, t.version_id) in (select tenant_id, version_id from changed) for no key update;
  delete from version_vectors v using (select distinct tenant_id, version_id from changed) c
  where v.tenant_id = c.tenant_id and v.version_id = c.version_id;
  return null;
end $$;
create trigger vectors_of_new after insert on document_chunks referencing new table as changed
  for each statement execute function forget_vectors();
create trigger vectors_of_old after delete on document_chunks referencing old table as changed
  for each statement execute function forget_vectors();
create trigger vectors_of_other after update on document_chunks referencing new table as changed
  for each statement execute function forget_vectors();

-- A passage is shown to the model below the title of its version.
create function forget_vectors_of_title() returns trigger language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from document_texts t where t.tenant_id = new.tenant_id and t.version_id = new.id for no key update;
  delete from version_vectors v where v.tenant_id = new.tenant_id and v.version_id = new.id;
  return null;
end $$;
create trigger vectors_of_title after update of title on document_versions for each row when (old.title is distinct from new.title)
  execute function forget_vectors_of_title();

-- The id of a model, which is known from its first use. The first of all is searched.
create function embedding_model(of_name text, of_dimensions integer) returns bigint
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  known bigint := (select id from embedding_models where name = of_name);
begin
  if known is null then
    lock table embedding_models in share row exclusive mode;
    insert into embedding_models (name, dimensions, is_searched)
    values (of_name, of_dimensions, not exists (select from embedding_models where is_searched))
    on conflict (name) do nothing;
    select id into known from embedding_models where name = of_name;
  end if;
  return known;
end $$;

-- How many versions of the installation have a text, and of how many the model has made vectors.
create function vector_progress(of_model bigint, out versions bigint, out made bigint) returns record
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select count(*), count(v.version_id) from document_texts t
    left join version_vectors v on v.tenant_id = t.tenant_id and v.version_id = t.version_id and v.model_id = of_model
  where t.status = 'extracted'
$$;

-- From now on queries are compared with the vectors of this model, if there is nothing in the installation that it has not seen.
create function search_by_model(of_model bigint) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from embedding_models where id = of_model and is_searched) then return true; end if;
  if exists (select from vector_progress(of_model) where made < versions) then return false; end if;
  lock table embedding_models in share row exclusive mode;
  update embedding_models set is_searched = false where is_searched;
  update embedding_models set is_searched = true where id = of_model;
  return true;
end $$;

-- The passages whose signs differ least from those asked for, about so many, of what may be found and whose content may be known; with
-- their vectors. Of many, a sample tells from which distance on a passage has no chance: most rows are read, and no more.
create function nearest_passages(asked jsonb, of_model bigint, asked_bits bit varying, most integer,
    out version_id bigint, out "position" integer, out vector bytea)
  returns setof record language plpgsql stable security definer
  set search_path = pg_catalog, public, pg_temp set jit = off as $$
#variable_conflict use_column
declare
  tenant constant bigint := current_tenant();
  dimensions constant integer := length(asked_bits);
  most_sampled constant integer := 5000;
  -- So many of the sample are nearer than what is left out. Where few may be found it is not worth it: those alone are looked at.
  sampled_near constant integer := 10;
  may_know text := search_condition(asked) || ' and ' || content_condition(asked);
  distance text := format('bit_count(b.bits # %L::bit varying)', asked_bits);
  ours text := format('b.tenant_id = %s and b.model_id = %s', tenant, of_model);
  joined text := 'chunk_bits b join document_index i on i.tenant_id = b.tenant_id and i.version_id = b.version_id';
  share double precision;
  near integer;
  candidates text;
begin
  if tenant is null then return; end if;
  if not asked ? 'documents' then
    select 100.0 * most_sampled / reltuples into share from pg_class where oid = 'chunk_bits'::regclass and reltuples > 10 * most_sampled;
  end if;
  if share is not null then
    execute format('select (array_agg(away order by away) filter (where may_know))[%s] from (
        select %s as away, i.version_id is not null as may_know from (select * from chunk_bits tablesample system (%s) repeatable (1)) b
          left join document_index i on i.tenant_id = b.tenant_id and i.version_id = b.version_id and %s
        where %s) sample having count(*) filter (where may_know) > count(*) / 10', sampled_near, distance, share, may_know, ours) into near;
  end if;
  candidates := case when near is null
    then format('select b.version_id, b.position, %s as away from %s where %s and %s offset 0', distance, joined, ours, may_know)
    else format('select b.version_id, b.position, b.away
      from (select b.version_id, b.position, %1$s as away from chunk_bits b where %2$s and %1$s <= %3$s order by 3 limit %4$s) b
        join document_index i on i.version_id = b.version_id where %5$s', distance, ours, near, 50 * most, may_know) end;
  return query execute format('
    select c.version_id, c.position, substring(v.vectors from c.position * $1 + 1 for $1)
    from (select * from (%s) c order by c.away, c.version_id, c.position limit $2) c
      join version_vectors v on v.tenant_id = $3 and v.version_id = c.version_id and v.model_id = $4', candidates)
    using dimensions, most, tenant, of_model;
end $$;

revoke execute on function forget_vectors(), forget_vectors_of_title(), embedding_model(text, integer), vector_progress(bigint), search_by_model(bigint),
  nearest_passages(jsonb, bigint, bit varying, integer) from public;
grant execute on function embedding_model(text, integer), vector_progress(bigint), search_by_model(bigint),
  nearest_passages(jsonb, bigint, bit varying, integer) to attest_app;

-- A version becomes effective on a day that people choose, and a document is taken out of use by a signature.

alter table document_versions
  -- The day on which it is to become effective, in the tenant's time zone; once it is effective, the day on which it did. It is
  -- written down and not worked out from effective_at, so that another time zone of the tenant rewrites no history.
  add column effective_date date,
  -- Whether its state is one that it leaves by itself, on its date and after training.
  add column is_waiting boolean not null default false;

-- Row security holds the owner too, and what is already there was audited when it was made.
alter table document_versions no force row level security;
alter table document_versions disable trigger user;
set local app.tenant_id = '1';
update document_versions v set effective_date = (effective_at at time zone coalesce(t.settings ->> 'time_zone', 'UTC'))::date
  from tenants t where t.id = v.tenant_id and effective_at is not null;
alter table document_versions enable trigger user;
alter table document_versions force row level security;

-- Nobody works by a version of which it is not known since when.
alter table document_versions add check (status_kind <> 'effective' or (effective_at is not null and effective_date is not null));
-- For the look of every minute: those that wait are few, however many documents there are.
create index document_versions_waiting on document_versions (tenant_id, effective_date) where is_waiting;

-- A move that a person signed: obsolescence.
alter table document_history add column signature_id bigint,
  add foreign key (tenant_id, signature_id) references signatures (tenant_id, id);
create index document_history_signature on document_history (tenant_id, signature_id);

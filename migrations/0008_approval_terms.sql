-- What an approval comes to in one document: how many people its percentages are, until when, and who has whose part in it.

alter table document_versions
  -- By the approval's name, how many people each of its rules needs. Settled when a round begins, so that who is hired or leaves
  -- later changes nothing in it; only approvals with a percentage among their rules are there.
  add column approval_counts jsonb not null default '{}',
  -- Until when the approval that is pending is due, and what is to be told about that next, on which day.
  add column approval_due_date date,
  add column approval_notice text check (approval_notice in ('reminder', 'escalation')),
  add column approval_notice_on date,
  add check ((approval_notice is null) = (approval_notice_on is null));
-- For the look of the clock: few approvals are pending, and fewer have a notice to come.
create index document_versions_notice on document_versions (tenant_id, approval_notice_on) where approval_notice_on is not null;

-- A part in an approval that its holder handed to another, who decides as themselves. It lasts until it is taken back or the
-- round is voided; it counts for one approval of one round.
create table document_delegations (
  tenant_id bigint not null default current_tenant() references tenants,
  id bigint generated always as identity primary key,
  document_id bigint not null,
  version_id bigint not null,
  round integer not null,
  transition text not null,
  -- The rules that named the giver; none where the giver only handed on what they were handed.
  rules integer[] not null,
  from_user_id bigint not null,
  to_user_id bigint not null check (to_user_id <> from_user_id),
  reason text not null check (reason <> ''),
  given_at timestamptz not null default clock_timestamp(),
  given_by bigint default current_actor(),
  ended_at timestamptz,
  ended_by bigint,
  end_reason text,
  unique (tenant_id, id),
  foreign key (tenant_id, document_id, version_id) references document_versions (tenant_id, document_id, id),
  foreign key (tenant_id, from_user_id) references users (tenant_id, id),
  foreign key (tenant_id, to_user_id) references users (tenant_id, id),
  foreign key (tenant_id, given_by) references users (tenant_id, id),
  foreign key (tenant_id, ended_by) references users (tenant_id, id)
);
-- Nobody hands the same part to two people.
create unique index document_delegations_once on document_delegations (tenant_id, version_id, round, transition, from_user_id)
  where ended_at is null;
create index document_delegations_version on document_delegations (tenant_id, document_id, version_id, round);
create index document_delegations_from on document_delegations (tenant_id, from_user_id);
create index document_delegations_to on document_delegations (tenant_id, to_user_id);

call tenant_table('document_delegations', 'select, insert');
grant update (ended_at, ended_by, end_reason) on document_delegations to attest_app;
call audited_table('document_delegations', 'document', id_column => 'document_id');

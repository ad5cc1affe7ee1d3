-- What a person prefers goes with them to the next machine: language, theme, saved views and columns. Pages make of the document what they
-- need, so the database keeps it as a text and looks into none of it. The language is a column of its own, because e-mails are in it too.
create table user_preferences (
  tenant_id bigint not null default current_tenant() references tenants,
  user_id bigint not null,
  language text check (language in ('en', 'de')),
  theme text check (theme in ('system', 'light', 'dark')),
  document text not null default '{}' check (octet_length(document) <= 32768),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references users (tenant_id, id)
);
comment on table user_preferences is 'How a person wants the pages: language, theme, saved views and columns.';
call tenant_table('user_preferences', 'select, insert, update');
call people_only('user_preferences', 'user_id');
call audited_table('user_preferences', 'user', id_column => 'user_id');

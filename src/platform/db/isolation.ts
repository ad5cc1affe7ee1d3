import type { ClientBase, Pool } from 'pg'

/**
 * Checks of the separation of tenants, read from the database itself at every start: a later migration, a repair by hand or an extension
 * could undo it without any test being run. Each check is one query over pg_catalog, and all nine take some hundredths of a second.
 *
 * The lists below are intended exceptions with their reasons. An exception that matches nothing any more is a defect too, because it would
 * excuse the next object of that name.
 */
const tablesWithoutTenant: Record<string, string> = {
  backups: 'which backups of the installation are complete; attest_app may only read it',
  audit_keys: "public keys of the installation, which verify every tenant's checkpoints; append-only",
  embedding_models: 'the models that the installation has made vectors by; attest_app may only read it',
  health_hours: 'how the dependencies of the installation were in the last day, and nothing of a record',
  installation: 'which installation the database belongs to; one row, append-only',
  installation_number: 'which range ids are drawn from; one row, append-only, and attest_app may only read it',
  migrations: 'the history of the schema, which is the same for all; attest_app may only read it',
  rate_limits: 'counts log-ins before a tenant is known: a hash of an address, and a moment',
  tenants: 'a row is a tenant: its policy shows a tenant its own row by id, and the platform (tenant 1) every row',
  signing_key_links: 'which signing key of the installation followed which, sealed by the keys; append-only',
  signing_keys: "public keys of the installation, which verify every tenant's signatures; append-only",
}

const schemasWithoutTenant: Record<string, string> = {
  pgboss: 'the job queue, which is the same for all: a job names what to do, and holds nothing of a record',
}

const uniqueForAll: Record<string, string> = {
  users_username: 'a log-in names no tenant (AUTH-01), and a person is one name in the whole service',
  users_email: 'the same, because the e-mail address logs in as well, where it does',
  passkeys_credential: 'a log-in with a passkey names no tenant; an authenticator draws 128 random bits or more',
  sso_domains_domain: "a mail domain is one company's, once it is proven",
}

const securityDefiners: Record<string, string> = {
  'find_login(text)': 'asked before a tenant is known; answers a name with ids and nothing else',
  'find_passkey(bytea)': 'asked before a tenant is known; answers the id of a credential with ids and nothing else',
  'find_sso_domain(text)': 'the same; answers the ids of a mail domain and its tenant',
  'open_audit_log()': 'a trigger: each tenant has a log, under its own id',
  'open_audit_epoch()': 'the same: the first tree of the log',
  'require_audit_entry()':
    "a trigger: row security would lead past all of the tenant's entries; finds those of the transaction and its tenant alone",
  'require_record_entry()': 'the same',
  'keep_credentials()': 'the same; reads the user of the changed row too',
  'keep_user()': 'the same',
  'tenants_to_seal()':
    'the ids of tenants, and of the first of their entries, that wait for a place in the log, and nothing else',
  'audit_heads(bigint, integer)':
    'how large the logs are, and what they hash to: what is handed out as a checkpoint anyway',
  'audit_positions(bigint[])': 'how many entries the logs of these tenants have, and nothing of the entries',
  'find_deviations(text)':
    'row security would switch off the index of a text search; filters by the tenant of the transaction itself',
  'similar_deviations(text, text, text[], bigint, text, text, jsonb, bigint[])': 'the same',
  'find_documents(text)': 'the same',
  'named_records(text, jsonb, integer, text[], bigint)':
    'the same; answers ids, of which the statement around it selects those that the person may read',
  'find_audit_places(text, bigint, bigint)': 'the same; answers places in the log, and no text',
  'search_texts(jsonb, jsonb, bigint[], jsonb)': 'the same',
  'search_more(jsonb, text, text, integer[], boolean, bigint[], integer, bigint, integer)': 'the same',
  'search_pieces(jsonb, tsquery, tsquery[], integer[], double precision[], boolean[], jsonb, bigint[], integer)':
    'the same; of what may be known alone',
  'known_documents(jsonb)': 'says of documents whether what they say is for somebody; by the conditions of a search',
  'embedding_model(text, integer)': 'writes the name of a model, which belongs to no tenant',
  'vector_progress(bigint)': 'the report on health: two counts of all tenants together',
  'search_by_model(bigint)': 'which model is searched is the same for all tenants; reads those two counts',
  'nearest_passages(jsonb, bigint, bit varying, integer)':
    'finds with the conditions of a search, which are those of the tenant of the transaction',
  'text_trouble(integer)': 'the report on health: three counts, of all tenants together',
  'storage_use_of_tenants()':
    'the list of tenants, for the platform alone: how many files each stores, and how large they are',
  'failed_work_of_tenants(timestamp with time zone)':
    'what failed, for the platform alone: kinds, counts and moments for each tenant, with the answers of the mail server',
  'tenants_with_work(text, timestamp with time zone)':
    'for tasks of the clock, asked for the platform alone: the ids of tenants in which a task may have something to do',
  'mail_trouble(timestamp with time zone)': 'the report on health: two counts and a moment, of all tenants together',
}

const appendOnly: Record<string, string> = {
  audit_entries: '21 CFR 11.10(e), AUD-04',
  audit_checkpoints: 'what was signed and handed out is what later ones are compared with',
  audit_keys: 'what a key signed is still to be verified when the key is out of use',
  audit_epochs: 'which tree a sequence number is in',
  audit_leaves: 'the place of an entry in the tree is given once',
  audit_redactions: 'what was removed from the trail, by whom and why',
  audit_reviews: 'what a reviewer found is said once, and signed',
  access_reviews: 'what a reviewer of the accounts found is said once, and signed',
  access_review_accounts: 'the accounts are kept as they were when the review was signed',
  audit_tiles: 'the hashes that proofs are put together from',
  attachments: 'the bytes and the name of a file are as they were stored',
  imported_signing_keys: 'what another installation sealed is still to be verified in this one',
  historical_approvals: 'what a source recorded before the migration is history',
  identity_provider_keys: 'what a provider signed is still to be verified when it has another key',
  installation: 'store and keys carry the same id, and a database never becomes that of another installation',
  installation_number: 'records are known by their ids, so the range of an installation stays',
  controlled_copy_prints: 'a print that was handed out stays on record, with its reason',
  form_template_versions: 'what was filled in by a version is read by that version',
  record_comments: 'what was said stays as it was said',
  record_history: 'every move of a deviation or a CAPA from state to state is kept',
  document_comment_mentions: 'who was notified because a comment mentions them stays on record',
  document_history: 'FLOW-02: every move from state to state is kept',
  document_reviews: 'a verdict on what is in force is given, and never taken back',
  signature_evidence: 'what proved the identity of a signer is verified with the signature for ever',
  signature_voids: 'what was declared void stays so, and stays explained',
  signatures: '21 CFR 11.70',
  signing_key_links: 'a key of earlier is trusted by its link to the key in use',
  signing_keys: 'what a key sealed is still to be verified when the key is out of use',
  content_template_versions: 'what was made from a template says from which version of it',
  training_attempts: 'what was answered in a test, and how it was judged, stays',
  training_quizzes: 'an attempt is judged by the questions that it answers',
  workflow_template_versions: 'an approval under way keeps the version that it began with',
}

/** The condition as PostgreSQL prints it. The sub-select is evaluated once per statement, not once per row. */
const tenantCondition = '(tenant_id = ( SELECT current_tenant() AS current_tenant))'

interface Check {
  name: string
  /** Has one column `defect`, a sentence. */
  query: string
  values?: unknown[]
}

// Objects that are neither PostgreSQL's own nor an extension's. Names are without `public`, as in the code.
const isOwnObject = (catalog: string, oid: string, namespace: string) =>
  `${namespace} not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace, 'pg_toast'::regnamespace)
   and not exists (select from pg_depend where classid = '${catalog}'::regclass and objid = ${oid} and deptype = 'e')`
const relations = (kinds: string) =>
  `select oid, relname, relkind, relowner, relacl, reloptions, relrowsecurity, relforcerowsecurity,
     case relnamespace when 'public'::regnamespace then relname::text else format('%s.%s', relnamespace::regnamespace, relname) end as name
   from pg_class where relkind in (${kinds}) and relpersistence <> 't' and ${isOwnObject('pg_class', 'pg_class.oid', 'relnamespace')}`
const tables = relations(`'r', 'p', 'f'`)
const tenantTables = `select t.*, a.attnum as tenant_column from (${tables}) t
  join pg_attribute a on a.attrelid = t.oid and a.attname = 'tenant_id' and not a.attisdropped`
const grantees = `(select oid from pg_roles where rolname = 'attest_app' union all select 0)`

const checks: Check[] = [
  {
    name: 'T1 every table is bound to a tenant by row security that holds its owner too',
    query: `with all_tables as (${tables}),
      t as (select * from all_tables where not split_part(name, '.', 1) = any($3)),
      columns as (select attrelid, attnotnull from pg_attribute where attname = 'tenant_id' and not attisdropped),
      policies as (
        select polrelid, count(*) as number, bool_and(polcmd = '*' and polpermissive and polroles = '{0}'
          and coalesce(pg_get_expr(polqual, polrelid), '') = $2 and coalesce(pg_get_expr(polwithcheck, polrelid), '') = $2) as is_tenants
        from pg_policy group by polrelid)
      select format('table %s %s', t.name, fault) as defect from t
      left join columns on attrelid = t.oid left join policies on polrelid = t.oid
      cross join lateral (values
        (attnotnull is null, 'has no tenant_id'),
        (not attnotnull, 'has a tenant_id that may be null'),
        (not relrowsecurity, 'has no row security enabled'),
        (not relforcerowsecurity, 'has row security that its owner escapes (force is missing)'),
        (not coalesce(number = 1 and is_tenants, false), 'must have exactly one policy, for all commands and roles, using and with check ' || $2)
      ) as faults (is_so, fault)
      where is_so and not t.name = any($1)
      union all select format('tablesWithoutTenant excuses %s, which is not there', excused) from unnest($1::text[]) excused where excused not in (select name from t)
      union all select format('schemasWithoutTenant excuses %s, which has no table', excused) from unnest($3::text[]) excused
        where excused not in (select split_part(name, '.', 1) from all_tables where name like '%.%')`,
    values: [Object.keys(tablesWithoutTenant), tenantCondition, Object.keys(schemasWithoutTenant)],
  },
  {
    name: 'T2 no view shows rows with the rights of its owner',
    query: `select format(case relkind when 'm' then 'materialized view %s keeps rows outside of row security' else 'view %s lacks security_invoker' end, name) as defect
      from (${relations(`'v', 'm'`)}) v
      where relkind = 'm' or not exists (select from unnest(reloptions) o where lower(o) ~ '^security_invoker=(true|on|yes|1)$')`,
  },
  {
    name: 'T3 no function runs with the rights of its owner, unless it is known and finds its tables on a fixed path',
    query: `with f as (select proconfig, case pronamespace when 'public'::regnamespace then '' else format('%s.', pronamespace::regnamespace) end
          || format('%s(%s)', proname, (select string_agg(format_type(type, null), ', ' order by place) from unnest(proargtypes) with ordinality as a (type, place))) as name
        from pg_proc where prosecdef and pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace))
      select format('function %s is SECURITY DEFINER and not on the list', name) as defect from f where not name = any($1)
      union all select format('function %s is SECURITY DEFINER without a fixed search_path', name) from f
        where not exists (select from unnest(proconfig) c where c like 'search_path=%')
      union all select format('securityDefiners excuses %s, which is not there', excused) from unnest($1::text[]) excused where excused not in (select name from f)`,
    values: [Object.keys(securityDefiners)],
  },
  {
    name: 'T4 no row points at a row of another tenant',
    query: `with t as (${tenantTables})
      select format('foreign key %s of %s does not tie tenant_id to that of %s', conname, child.name, parent.name) as defect
      from pg_constraint join t child on child.oid = conrelid join t parent on parent.oid = confrelid
      where contype = 'f' and not exists (
        select from unnest(conkey, confkey) as pair (here, there) where here = child.tenant_column and there = parent.tenant_column)`,
  },
  {
    // Nobody chooses an identity that is always generated, so a conflict reveals nothing.
    name: 'T5 no unique key tells a tenant what another one has',
    query: `with i as (
        select indexrelid, c.relname::text as index_name, t.name as table_name,
          exists (select from unnest((indkey::smallint[])[0:indnkeyatts - 1]) key where key = t.tenant_column) as is_tenants,
          indnkeyatts = 1 and exists (select from pg_attribute where attrelid = t.oid and attnum = indkey[0] and attidentity = 'a') as is_generated
        from pg_index join (${tenantTables}) t on t.oid = indrelid join pg_class c on c.oid = indexrelid
        where indisunique or indisexclusion)
      select format('unique index %s of %s lacks tenant_id', index_name, table_name) as defect from i
      where not is_tenants and not is_generated and not index_name = any($1)
      union all select format('uniqueForAll excuses %s, which is not there', excused) from unnest($1::text[]) excused where excused not in (select index_name from i)`,
    values: [Object.keys(uniqueForAll)],
  },
  {
    name: 'T6 attest_app has no way around row security',
    query: `select format('attest_app %s', fault) as defect from pg_roles cross join lateral (values
        (rolsuper, 'is a superuser'), (rolbypassrls, 'bypasses row security'), (rolcreaterole, 'may make roles'),
        (rolcreatedb, 'may make databases'), (rolreplication, 'may replicate')) as faults (is_so, fault)
      where rolname = 'attest_app' and is_so
      union all select format('attest_app is a member of %s', r.rolname) from pg_auth_members
        join pg_roles r on r.oid = roleid join pg_roles m on m.oid = member where m.rolname = 'attest_app'
      union all select 'there is no role attest_app' where not exists (select from pg_roles where rolname = 'attest_app')`,
  },
  {
    name: 'T7 attest_app has no rights that row security does not bind, and none to change what is only added to',
    query: `with t as (${relations(`'r', 'p', 'f', 'v', 'm'`)}),
      grants as (
        select t.name, privilege_type as privilege from t, aclexplode(coalesce(relacl, acldefault('r', relowner))) where grantee in ${grantees}
        union select t.name, privilege_type from t join pg_attribute on attrelid = t.oid, aclexplode(attacl) where grantee in ${grantees}),
      guards as (
        -- Against update, delete and truncate; on a condition for redactions alone.
        select t.name, bool_or(tgname = 'append_only') and bool_or(tgname = 'no_truncate') and bit_or(tgtype) & 56 = 56 as has_all,
          bool_and(tgenabled = 'A' and (tgqual is null or t.name = 'audit_entries' and tgname = 'append_only')) as is_always
        from pg_trigger join t on t.oid = tgrelid where tgfoid = to_regprocedure('public.refuse_change()') group by t.name)
      select format('attest_app has the right %s on %s', privilege, name) as defect from grants where privilege in ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN')
      union all select format('attest_app may %s %s, which is append-only', lower(privilege), name) from grants
        where privilege in ('UPDATE', 'DELETE') and (name = any($1) or name in (select name from guards))
      union all select format('append-only table %s lacks a trigger that refuses changes always', listed) from unnest($1::text[]) listed
        where not exists (select from guards where name = listed and has_all and is_always)
      union all select format('table %s is append-only and not on the list', name) from guards where not name = any($1)`,
    values: [Object.keys(appendOnly)],
  },
  {
    name: 'T8 attest_app owns nothing, and makes nothing that could stand in the place of ours',
    query: `select format('attest_app owns %s', pg_describe_object(classid, objid, objsubid)) as defect from pg_shdepend
        where refclassid = 'pg_authid'::regclass and refobjid = (select oid from pg_roles where rolname = 'attest_app') and deptype = 'o'
          and dbid in (0, (select oid from pg_database where datname = current_database()))
      union all select format('attest_app may create in schema %s', nspname) from pg_namespace, aclexplode(coalesce(nspacl, acldefault('n', nspowner)))
        where privilege_type = 'CREATE' and grantee in ${grantees}
      union all select format('attest_app may make %s in this database', case privilege_type when 'TEMPORARY' then 'temporary tables' else 'schemas' end)
        from pg_database, aclexplode(coalesce(datacl, acldefault('d', datdba)))
        where datname = current_database() and privilege_type in ('TEMPORARY', 'CREATE') and grantee in ${grantees}`,
  },
  {
    name: 'T9 no expression changes the tenant of its transaction',
    query: `select format('attest_app may execute set_config(%s): run roles.sql in this database', pg_get_function_identity_arguments(p.oid)) as defect
        from pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner)))
        where proname = 'set_config' and pronamespace = 'pg_catalog'::regnamespace and grantee in ${grantees}
      union all select 'attest_app may update pg_settings: run roles.sql in this database' from pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner)))
        where pg_class.oid = 'pg_catalog.pg_settings'::regclass and privilege_type = 'UPDATE' and grantee in ${grantees}`,
  },
]

/** What the checks look at, and what they do not: the functions are known by their names alone. */
export const isolationExamined = { checks: checks.length, functions: Object.keys(securityDefiners).length }

/** A sentence for each defect, in the order of the checks; none if tenants are separated. Any role may call it. */
export async function isolationDefects(client: Pool | ClientBase): Promise<string[]> {
  const defects: string[] = []
  for (const { name, query, values = [] } of checks) {
    const { rows } = await client.query<{ defect: string }>(query, values)
    defects.push(...rows.map(({ defect }) => `${name.slice(0, 2)}: ${defect}`).sort())
  }
  return defects
}

/** For the start: a service that might show one tenant's records to another must not run. */
export async function refuseIfNotIsolated(pool: Pool | ClientBase) {
  const defects = await isolationDefects(pool)
  if (defects.length > 0)
    throw new Error(['this database does not keep tenants apart:', ...defects.map(each => `- ${each}`)].join('\n'))
}

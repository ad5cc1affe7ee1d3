// The schema as PostgreSQL has it. That tenants are kept apart by it is also checked at every start: platform/db/isolation.ts.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { configurationKinds, configurationOperations, configurationStatuses } from '#action'
import { signatureOccasions } from '#kernel/catalogue.ts'
import { addRecords } from '#test/builders/samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { AccessReview, Source } from '../src/modules/access-reviews/schema.ts'
import { linkPurposes } from '../src/modules/accounts/link-queries.ts'
import { languages, themes } from '../src/modules/accounts/preferences/schema.ts'
import { evidenceKinds, proofKinds } from '../src/modules/accounts/signing/rules.ts'
import { callKinds, callStatuses } from '../src/modules/ai-calls/words.ts'
import { dimensions } from '../src/modules/audit/trail/filter.ts'
import { AuditEntry, redactableParts } from '../src/modules/audit/trail/schema.ts'
import { ReviewOutcome } from '../src/modules/audit-reviews/schema.ts'
import {
  actionStatuses,
  capaPriorities,
  capaSources,
  capaStates,
  capaTypes,
  isActionOver,
  isOver as isCapaOver,
  reviewMethods,
  reviewResults,
  reviewStatuses,
} from '../src/modules/capas/rules.ts'
import { ExtensionStatus } from '../src/modules/casework/extension-queries.ts'
import { relations } from '../src/modules/casework/link-schema.ts'
import { outcomes as copyOutcomes, copyStates, isOpen as isOpenCopy } from '../src/modules/controlled-copies/states.ts'
import {
  states as deviationStates,
  isOver as isDeviationOver,
  isReportedLate,
  severities,
} from '../src/modules/deviations/rules.ts'
import { Category, SeverityDecision } from '../src/modules/deviations/schema.ts'
import { HistoryEntry, PeriodicReview, TrainingImpact, VersionForm } from '../src/modules/documents/core/schema.ts'
import { removalStatuses } from '../src/modules/file-removals/schema.ts'
import { GroupType } from '../src/modules/groups/schema.ts'
import {
  attemptKinds,
  provisionings,
  roleSources,
  subjectClaims,
  tokenAuths,
  verificationMethods,
} from '../src/modules/identity-providers/schema.ts'
import { jobStatuses } from '../src/modules/jobs/schema.ts'
import { mailKinds, mailStatuses } from '../src/modules/mail/words.ts'
import { batchStatuses, fileKinds, rowStatuses, sampleFindings } from '../src/modules/migrations-in/schema.ts'
import { emailWays, priorities } from '../src/modules/notifications/types.ts'
import { revokeReasons } from '../src/modules/passkeys/rules.ts'
import { resources } from '../src/modules/projections/statistics/fact.ts'
import { disposalStatuses, holdStatuses, outcomes, recordKinds } from '../src/modules/retention/schema.ts'
import { textStatuses } from '../src/modules/search/text-queries.ts'
import { endReasons, sessionKinds } from '../src/modules/sessions/rules.ts'
import { Signature, SignatureVoid } from '../src/modules/signatures/schema.ts'
import { exportedKeys, exportedTables, leftOutTables } from '../src/modules/tenant-exports/columns.ts'
import { exportStatuses, exportSteps } from '../src/modules/tenant-exports/schema.ts'
import { complianceKinds } from '../src/modules/training/compliance/queries.ts'
import { CurriculumStatus } from '../src/modules/training/curricula/schema.ts'
import {
  assignmentSources,
  assignmentStates,
  openStates,
  programStatuses,
  trainingTypes,
} from '../src/modules/training/rules.ts'
import { StateKind } from '../src/modules/workflows/definition.ts'
import { TrainingGate } from '../src/modules/workflows/schema.ts'

/** Whoever looks for what a person made or changed asks the audit trail, which has an index for it; and a user is never deleted. */
const byPerson = 'who made or changed it: nobody asks a table that, and users are never deleted'
/** Foreign keys that no index begins with. Without one, a join from the other side and the deletion of a parent read the whole table. */
const withoutIndex: Record<string, string> = {
  'audit_leaves (epoch)': 'an epoch is never removed; a place is found by its sequence number',
  'audit_epochs (first_entry_id)': 'an entry is never removed, and an epoch is found by its number',
  'audit_redactions (recorded_in)': 'an entry is never removed, and a redaction is found by what it removed',
  'api_keys (created_by)': byPerson,
  'api_keys (revoked_by)': byPerson,
  'assistant_settings (created_by)': byPerson,
  'assistant_settings (updated_by)': byPerson,
  'deviation_vectors (model_id)': 'a model is never removed, and a vector is found by its deviation',
  'document_delegations (given_by)': byPerson,
  'document_delegations (ended_by)': byPerson,
  'document_types (created_by)': byPerson,
  'document_versions (submitted_by)': byPerson,
  'document_types (updated_by)': byPerson,
  'documents (created_by)': byPerson,
  'controlled_copies (recalled_by)': byPerson,
  'controlled_copies (confirmed_by)': byPerson,
  'controlled_copies (reconciled_by)': byPerson,
  'controlled_copies (updated_by)': byPerson,
  'controlled_copy_prints (printed_by)': byPerson,
  'curricula (created_by)': byPerson,
  'curricula (updated_by)': byPerson,
  'groups (created_by)': byPerson,
  'groups (updated_by)': byPerson,
  'group_members (added_by)': byPerson,
  'group_members (removed_by)': byPerson,
  'form_templates (created_by)': byPerson,
  'form_templates (updated_by)': byPerson,
  'deviations (created_by)': byPerson,
  'deviations (updated_by)': byPerson,
  'capas (created_by)': byPerson,
  'capas (updated_by)': byPerson,
  'effectiveness_reviews (created_by)': byPerson,
  'effectiveness_reviews (updated_by)': byPerson,
  'form_template_versions (created_by)': byPerson,
  'documents (updated_by)': byPerson,
  'identity_providers (created_by)': byPerson,
  'identity_providers (updated_by)': byPerson,
  'identity_providers (default_role_id)': 'a company has a few providers',
  'identity_provider_mappings (role_id)': 'a company has a few providers, and the mappings of one are read together',
  'identity_provider_mappings (group_id)': 'the same',
  'user_identities (linked_by)': byPerson,
  'login_attempts (provider_id)': 'a provider is never removed, and an attempt is kept for a day',
  'login_attempts (user_id)': 'a user is never removed, and an attempt is kept for a day',
  'login_attempts (session_id)': 'a partial index of the attempts that began a session serves it',
  'sessions (provider_id)':
    'a provider is never removed; a partial index of the names that it gave to sessions serves it',
  'password_links (requested_by)': byPerson,
  'roles (created_by)': byPerson,
  'roles (updated_by)': byPerson,
  'sessions (revoked_by)': byPerson,
  'training_assignments (assigned_by)': byPerson,
  'training_assignments (updated_by)': byPerson,
  'training_assignments (document_id, opened_version_id)': 'a partial index of the readings that were opened serves it',
  'training_group_assignments (assigned_by)': byPerson,
  'training_group_assignments (ended_by)': byPerson,
  'training_programs (created_by)': byPerson,
  'training_programs (updated_by)': byPerson,
  'training_quizzes (created_by)': byPerson,
  'users (created_by)': byPerson,
  'users (owner_id)': 'a partial index of the service accounts serves it',
  'users (identity_verified_by)': byPerson,
  'users (updated_by)': byPerson,
  'workflow_templates (created_by)': byPerson,
  'workflow_templates (updated_by)': byPerson,
  'workflow_template_versions (created_by)': byPerson,
  'documents (effective_version_id)': 'a version is found by its document, and never deleted',
  'documents (latest_version_id)': 'a version is found by its document, and never deleted',
  'content_template_versions (created_by)': byPerson,
  'content_templates (created_by)': byPerson,
  'content_templates (updated_by)': byPerson,
  'content_templates (version)': 'points at the newest of its own versions',
  'form_templates (version)': 'points at the newest of its own versions',
  'training_programs (quiz_version)': 'points at one of its own versions',
  'workflow_templates (version)': 'points at the newest of its own versions',
  'mails (password_link_id, user_id)': 'a link is never deleted, and nobody looks for its message',
  'signatures (key_id)': 'a key is never deleted, and nobody lists what it sealed',
}

/** Tables that may change without an audit entry. */
const unaudited: Record<string, string> = {
  audit_checkpoints: 'made of the trail itself',
  audit_entries: 'the trail itself',
  audit_epochs: 'of the trail itself; the first leaf of the next one says why',
  audit_keys: 'public keys of the installation, append-only, which belong to no tenant and so to no trail',
  audit_leaves: 'made of the trail itself',
  audit_logs: 'how far the trail is sealed',
  audit_pending: 'what of the trail is still to be sealed',
  audit_places: 'made of the trail itself',
  audit_redactions: 'of the trail itself: each names the entry that tells of it',
  audit_tiles: 'made of the trail itself',
  audit_words: 'made of the trail itself',
  background_jobs:
    'how far work has come: that it was asked for, and its end, are entries, and so is what its steps change',
  backups: 'which backups the command has completed, noted by the owner of the tables',
  chunk_bits: 'made from the text of a version: the version is audited',
  compliance_changes: 'whose training is to be counted anew, a projection: what changed is audited',
  compliance_counts: 'summed up from assignments: they are audited',
  compliance_people: 'the same, for each person',
  counters: 'the last number given out: the record that has the number is audited',
  deviation_index: 'what a deviation is found by, a projection: the deviation is audited',
  deviation_vectors: 'made from the text of a deviation: the deviation is audited',
  document_chunks: 'the text of a version in pieces, made from its file: the version is audited',
  document_index: 'what a document is found by, a projection: the document is audited',
  document_texts: 'how far the file of a version was read, made from the file: the version is audited',
  embedding_models: 'which models have made vectors of texts: the configuration says by which they are made',
  health_hours: 'how the dependencies of the installation were in the last day: it holds nothing of a record',
  idempotency_keys: 'the answer of a command, whose changes are audited',
  imported_signing_keys:
    'written by the owner of the tables with the tenant, whose trail says so, and sealed by a key of the installation',
  installation: 'which installation the database belongs to: one row for ever, made before there is a trail to say so',
  installation_number: 'which range ids are drawn from: one row for ever, given by the owner of the tables',
  login_addresses: 'counts of log-ins by address: failed and successful ones have entries',
  login_attempts: 'what is on the way to a provider and back: the log-in, its refusal, a link and a test have entries',
  logout_tokens: 'which tokens were taken: the sessions that one ended have entries',
  mails: 'follows from what was recorded in the same transaction; that it was given up or queued again is recorded',
  migration_files: 'staging: an upload is an entry of the batch, and a trigger keeps the files of an accepted one',
  migration_rows:
    'staging: an upload, a sample and a load are entries of the batch or the record, and a trigger keeps the rows of an accepted one',
  migrations: 'the history of the schema, written by the owner',
  notifications: 'follows from what was recorded in the same transaction; that it was read is recorded',
  rate_limits: 'counts of log-ins by address: the first that is refused within an hour has an entry',
  signing_key_links: 'links between public keys of the installation, append-only, sealed by the keys themselves',
  signing_keys: 'public keys of the installation, append-only, which belong to no tenant and so to no trail',
  stat_counts: 'how many records of each kind there are: the records are audited',
  stat_records: 'the facts that each record is counted by, derived from the record: it is audited',
  stat_zones: 'by which time zones records are counted: the change of the time zone is audited',
  storage_sweeps: 'when the files of a tenant were looked at: what a sweep moves has an entry',
  storage_use: 'counted from the files of records, whose rows are audited',
  version_vectors: 'made from the text of a version: the version is audited',
}

/** Tables whose rows are removed without an entry when they are old, and never before: a trigger holds that. */
const removedByAge: Record<string, string> = {
  sessions: '90 days after its end; the log-in and its end have entries',
}

const byMachine = 'who did it: a machine may'
/** Columns that name a user, and may name a service account. Without those of who made or changed a record. */
const alsoMachines: Record<string, string> = {
  'access_review_accounts.user_id': 'a review lists the accounts of machines',
  'ai_calls.user_id': byMachine,
  'api_keys.user_id': 'whose key it is: only a service account has one',
  'audit_entries.user_id': byMachine,
  'background_jobs.requested_by': byMachine,
  'capa_actions.completed_by': byMachine,
  'compliance_changes.user_id': 'a mark for everybody marks each account; a machine has nothing to count',
  'compliance_people.user_id': 'counts of nothing',
  'configuration_changes.proposed_by': 'a person decides about it',
  'controlled_copies.confirmed_by': 'the holder, who is a person, or who reconciles',
  'controlled_copies.issued_by': byMachine,
  'controlled_copies.recalled_by': byMachine,
  'controlled_copies.reconciled_by': byMachine,
  'controlled_copy_prints.printed_by': byMachine,
  'deputies.ended_by': byMachine,
  'deviations.reported_by': byMachine,
  'document_comments.resolved_by': byMachine,
  'document_decisions.on_behalf_of_id': 'the person of a deputy: a service account has none',
  'document_delegations.ended_by': byMachine,
  'document_delegations.given_by': byMachine,
  'document_history.user_id': byMachine,
  'document_versions.submitted_by': byMachine,
  'due_date_extensions.requested_by': byMachine,
  'file_removals.requested_by': 'another person decides about it',
  'tenant_exports.removed_by': 'a person: no machine may',
  'tenant_exports.requested_by': 'a person, who proves their identity',
  'group_members.added_by': byMachine,
  'group_members.removed_by': byMachine,
  'idempotency_keys.user_id': byMachine,
  'login_addresses.user_id': 'follows from a log-in, and a service account has none',
  'mails.user_id': 'follows from a notification, and a service account gets none',
  'notification_preferences.user_id': byMachine,
  'notifications.user_id': 'written for people alone',
  'password_links.requested_by': byMachine,
  'record_history.user_id': byMachine,
  'sessions.revoked_by': byMachine,
  'signatures.on_behalf_of_id': 'the person of a deputy: a service account has none',
  'training_assignments.assigned_by': byMachine,
  'training_group_assignments.assigned_by': byMachine,
  'training_group_assignments.ended_by': byMachine,
}

const appendOnly = [
  ...['audit_checkpoints', 'audit_epochs', 'audit_keys', 'audit_leaves', 'audit_redactions', 'audit_tiles'],
  ...[
    'access_review_accounts',
    'access_reviews',
    'attachments',
    'audit_reviews',
    'controlled_copy_prints',
    'document_comment_mentions',
    'form_template_versions',
    'historical_approvals',
    'identity_provider_keys',
    'imported_signing_keys',
    'installation',
    'installation_number',
    'record_comments',
    'record_history',
  ],
  ...['audit_entries', 'document_history', 'document_reviews', 'signature_voids', 'signatures', 'signing_keys'],
  ...['signature_evidence', 'signing_key_links'],
  ...['content_template_versions', 'training_attempts', 'training_quizzes', 'workflow_template_versions'],
]

/** The same words in TypeScript, by table and column of the check. */
const words: Record<string, readonly string[]> = {
  'ai_calls.kind': callKinds,
  'ai_calls.status': callStatuses,
  'background_jobs.status': jobStatuses,
  'capa_actions.status': actionStatuses,
  'capas.priority': capaPriorities,
  'capas.source': capaSources,
  'capas.status': capaStates,
  'capas.type': capaTypes,
  'effectiveness_reviews.method': reviewMethods,
  'effectiveness_reviews.result': reviewResults,
  'effectiveness_reviews.status': reviewStatuses,
  'capa_documents.relation': relations.capa_documents,
  'deviation_capas.relation': relations.deviation_capas,
  'deviation_deviations.relation': relations.deviation_deviations,
  'deviation_documents.relation': relations.deviation_documents,
  'deviations.category': Category.enum,
  'deviations.severity': severities,
  'deviations.severity_decision': SeverityDecision.enum,
  'deviations.status': deviationStates,
  'due_date_extensions.status': ExtensionStatus.enum,
  'audit_places.dimension': ['sealed', 'username', ...dimensions],
  'audit_redactions.part': redactableParts,
  'audit_entries.outcome': AuditEntry.properties.outcome.enum,
  'audit_reviews.outcome': ReviewOutcome.enum,
  'controlled_copies.confirmed_outcome': copyOutcomes,
  'controlled_copies.status': copyStates,
  'file_removals.status': removalStatuses,
  'tenant_exports.status': exportStatuses,
  'tenant_exports.step': exportSteps,
  'migration_batches.status': batchStatuses,
  'migration_files.kind': fileKinds,
  'migration_rows.sample_finding': sampleFindings,
  'migration_rows.status': rowStatuses,
  'disposals.status': disposalStatuses,
  'disposal_records.status': outcomes,
  'legal_holds.record_kind': recordKinds,
  'legal_holds.status': holdStatuses,
  'configuration_changes.kind': configurationKinds,
  'configuration_changes.operation': configurationOperations,
  'configuration_changes.status': configurationStatuses,
  'access_review_accounts.source': Source.enum,
  'access_reviews.outcome': AccessReview.properties.outcome.enum,
  'document_decisions.decision': ['approve', 'reject'],
  'document_reviews.outcome': PeriodicReview.properties.outcome.enum,
  'document_versions.approval_notice': ['reminder', 'escalation'],
  'document_history.trigger': ['user', 'automatic', 'migration'],
  'document_texts.status': textStatuses,
  'document_types.training_gate': TrainingGate.enum,
  'document_versions.training_impact': TrainingImpact.enum,
  'documents.training_gate': TrainingGate.enum,
  'document_versions.change_type': VersionForm.properties.change_type.enum,
  'document_versions.status_kind': StateKind.enum,
  'compliance_counts.kind': complianceKinds,
  'curricula.status': CurriculumStatus.enum,
  'groups.group_type': GroupType.enum,
  'identity_providers.provisioning': provisionings,
  'identity_providers.roles_from': roleSources,
  'identity_providers.subject_claim': subjectClaims,
  'identity_providers.token_auth': tokenAuths,
  'login_attempts.kind': attemptKinds,
  'sso_domains.verified_by_method': verificationMethods,
  'mails.kind': mailKinds,
  'mails.status': mailStatuses,
  'notification_preferences.email': emailWays,
  'notifications.priority': priorities,
  'passkeys.revoke_reason': revokeReasons,
  'password_links.purpose': linkPurposes,
  'user_preferences.language': languages,
  'user_preferences.theme': themes,
  'sessions.kind': sessionKinds,
  'users.kind': ['person', 'service'],
  'sessions.revoke_reason': endReasons,
  'stat_records.resource': resources,
  'training_assignments.source': assignmentSources,
  'training_assignments.status': assignmentStates,
  'training_programs.status': programStatuses,
  'training_programs.type': trainingTypes,
  'signature_voids.cause': SignatureVoid.properties.cause.enum,
  'signature_evidence.kind': Object.values(evidenceKinds),
  'signing_challenges.kind': proofKinds,
  'signatures.method': Signature.properties.method.enum,
  'signatures.occasion_kind': signatureOccasions,
  'signatures.signature_type': Signature.properties.signature_type.enum,
}

describe('the schema', () => {
  let world: World
  let owner: pg.Client
  let app: pg.Client
  let acme: number
  let rival: number
  before(async () => {
    world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
    await addRecords(world)
    await world.rows('insert into installation (id) values (gen_random_uuid())')
    await world.rows('insert into installation_number (number) values (7)')
    await world.rows(
      `insert into signing_key_links (previous_key_id, next_key_id, by_next) select key_id, key_id, 'seal' from signing_keys limit 1`,
    )
    acme = world.people.ada!.tenant_id
    rival = world.people.rex!.tenant_id
    owner = new pg.Client(world.postgres.owner)
    app = new pg.Client(world.postgres.app)
    await Promise.all([owner.connect(), app.connect()])
  })
  after(async () => {
    await Promise.all([owner.end(), app.end()])
    await world.close()
  })

  const column = async (text: string, values: unknown[] = []) =>
    (await world.rows<{ found: string }>(text, values)).map(({ found }) => found)
  const tenantTables = () =>
    column(`select c.relname as found from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace order by 1`)

  /** In a transaction that is rolled back, so that nothing of an attempt stays. */
  async function attempt(
    client: pg.Client,
    text: string,
    { tenant, values = [] }: { tenant?: number; values?: unknown[] } = {},
  ) {
    await client.query('begin')
    try {
      if (tenant !== undefined) await client.query(`set local app.tenant_id = '${tenant}'`)
      return await client.query(text, values)
    } finally {
      await client.query('rollback')
    }
  }

  // proves: KEY-01
  it('takes no service account in a column that names a person, and says of every other one why it may be there', async () => {
    const { rows: keys } = await owner.query<{ table: string; column: string }>(
      `select conrelid::regclass::text as table, attname::text as column from pg_constraint
        join lateral unnest(conkey) as place (number) on true join pg_attribute on attrelid = conrelid and attnum = place.number
        where contype = 'f' and confrelid = 'users'::regclass and attname <> 'tenant_id'`,
    )
    const { rows: held } = await owner.query<{ table: string; column: string }>(
      `select tgrelid::regclass::text as table, attname::text as column from pg_trigger
        join lateral unnest(tgattr) as place (number) on true join pg_attribute on attrelid = tgrelid and attnum = place.number
        where tgname = 'people_only'`,
    )
    const nameOf = ({ table, column }: { table: string; column: string }) => `${table}.${column}`
    const open = new Set(keys.map(nameOf))
    for (const each of held) open.delete(nameOf(each))
    open.delete('signatures.signer_id')
    assert.deepEqual(
      [...open].filter(name => !/\.(created|updated)_by$/.test(name)).sort(),
      Object.keys(alsoMachines).sort(),
    )
  })

  // proves: OPS-01
  it('has a primary key in each table, by which a backup sorts its rows', async () => {
    const without = await column(`
      select relname as found from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
        and not exists (select from pg_index where indrelid = pg_class.oid and indisprimary)`)
    assert.deepEqual(without, [])
  })

  it('has an index for each foreign key, or says why not', async () => {
    const missing = await column(`
      select format('%s (%s)', conrelid::regclass, string_agg(attname, ', ' order by place) filter (where attname not in ('tenant_id', 'id'))) as found
      from pg_constraint join unnest(conkey) with ordinality as k (key, place) on true
        join pg_attribute on attrelid = conrelid and attnum = key
      where contype = 'f' and connamespace = 'public'::regnamespace
        and not exists (select from pg_index where indrelid = conrelid
          -- Imported rows alone have a batch.
          and (indpred is null or pg_get_expr(indpred, indrelid) = '(migration_batch_id IS NOT NULL)')
          and (indkey::smallint[])[0:cardinality(conkey) - 1] @> conkey and (indkey::smallint[])[0:cardinality(conkey) - 1] <@ conkey)
        -- tenants are never deleted, and every index begins with the tenant where it helps
        and confrelid <> 'tenants'::regclass
      group by pg_constraint.oid, conrelid order by 1`)
    assert.deepEqual(missing, Object.keys(withoutIndex).sort())
  })

  // proves: AUD-01
  it('lets no table change without an audit entry, but for those that say why', async () => {
    const guarded = await column(
      `select c.relname as found from pg_trigger join pg_class c on c.oid = tgrelid
      where tgfoid in ('require_audit_entry'::regproc, 'require_record_entry'::regproc) and tgdeferrable and tginitdeferred and tgenabled in ('O', 'A')
      group by c.relname having count(distinct tgname) = 2
        and (bit_or(tgtype) & 28 = 28 or bit_or(tgtype) & 20 = 20 and c.relname = any($1)) order by 1`,
      [Object.keys(removedByAge)],
    )
    const all = await column(
      `select relname as found from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
    )
    assert.deepEqual(
      all.filter(table => !guarded.includes(table)),
      Object.keys(unaudited),
    )
  })

  // proves: AUD-01
  it('refuses at commit what changed without an entry, and what another record is named for', async () => {
    for (const named of [undefined, { resource_type: 'role', resource_id: 1 }]) {
      await app.query('begin')
      await app.query(
        `set local app.tenant_id = '${acme}'; set local app.transaction_id = '00000000-0000-0000-0000-000000000001'`,
      )
      await app.query(`insert into roles (name) values ('unsaid')`)
      if (named) {
        await app.query(
          `insert into audit_entries (username, user_role, outcome, action, resource_type, resource_id, changes, request_id, client_addr)
           values ('ada', 'Admin', 'success', 'role.created', $1, $2, '{}', '', '')`,
          [named.resource_type, named.resource_id],
        )
      }
      await assert.rejects(app.query('commit'), { code: 'QA001' })
    }
  })

  // proves: AUD-04
  it('has triggers on what is only added to that are never skipped', async () => {
    const always = await column(`select c.relname as found from pg_trigger join pg_class c on c.oid = tgrelid
      where tgfoid = 'refuse_change'::regproc and tgenabled = 'A' group by c.relname having bit_or(tgtype) & 56 = 56 order by 1`)
    assert.deepEqual(always, appendOnly.toSorted())
  })

  // proves: AUD-04
  it('lets neither the application nor the owner change or delete what is only added to, also as a replica', async () => {
    for (const table of appendOnly) {
      const [first] = await column(
        `select attname as found from pg_attribute where attrelid = $1::regclass and attnum > 0 and attgenerated = ''
        and attidentity = '' order by attnum desc limit 1`,
        [table],
      )
      const attempts = [`update ${table} set ${first} = ${first}`, `delete from ${table}`, `truncate ${table} cascade`]
      const [{ count }] = (await world.rows<{ count: string }>(`select count(*) from ${table}`)) as [{ count: string }]
      assert.ok(Number(count) > 0, `${table} has a row to try`)
      for (const text of attempts) {
        await assert.rejects(attempt(app, text, { tenant: acme }), { code: '42501' }, `attest_app: ${text}`)
        await assert.rejects(attempt(owner, text), { code: 'QA002' }, `attest_owner: ${text}`)
        const asReplica = async () => {
          await world.superuser.query('begin; set local session_replication_role = replica')
          try {
            await world.superuser.query(text)
          } finally {
            await world.superuser.query('rollback')
          }
        }
        await assert.rejects(asReplica(), { code: 'QA002' }, `as a replica: ${text}`)
      }
    }
  })

  // proves: DOC-03, SIG-02
  it('keeps file and label of a version as they were, counts each change of what is signed, and allows none after the approval', async () => {
    const changes = ["file_key = 'x'", "sha256 = repeat('0', 64)", "file_name = 'x'", 'major = 9', "title = 'other'"]
    for (const change of changes)
      await assert.rejects(attempt(owner, `update document_versions set ${change}`), { code: 'QA002' }, change)
    const change = "update document_versions set title = 'other', content_revision = content_revision + 1"
    await attempt(owner, `${change} where approved_at is null and effective_at is null`)
    await assert.rejects(attempt(owner, `${change} where approved_at is not null`), { code: 'QA002' })
  })

  // proves: SVC-01
  it('shows, changes and takes the rows of no other tenant, in any table that has one', async () => {
    const tables = await tenantTables()
    assert.ok(tables.length >= 12, tables.join())
    for (const table of tables) {
      const rows = await world.rows(`select to_jsonb(t) as row from ${table} t where tenant_id = $1 limit 1`, [rival])
      assert.equal(rows.length, 1, `rival has no row in ${table}: add one in test/support/builders/samples.ts`)
      const count = async (tenant?: number) =>
        Number(
          (
            await attempt(
              app,
              `select count(*) from ${table} where tenant_id <> ${acme}`,
              tenant === undefined ? {} : { tenant },
            )
          ).rows[0].count,
        )
      assert.equal(await count(acme), 0, `${table}: acme sees another's`)
      assert.equal(await count(), 0, `${table}: nobody sees any`)
      assert.ok((await count(rival)) > 0, `${table}: rival sees its own`)

      const may = async (privilege: string) =>
        (
          await world.rows<{ may: boolean }>('select has_table_privilege($1, $2, $3) as may', [
            'attest_app',
            table,
            privilege,
          ])
        )[0]!.may
      if (await may('UPDATE'))
        assert.equal(
          (await attempt(app, `update ${table} set tenant_id = tenant_id where tenant_id = ${rival}`, { tenant: acme }))
            .rowCount,
          0,
          table,
        )
      if (await may('DELETE'))
        assert.equal(
          (await attempt(app, `delete from ${table} where tenant_id = ${rival}`, { tenant: acme })).rowCount,
          0,
          table,
        )

      const given = await column(
        `select attname as found from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
        and attgenerated = '' and attidentity <> 'a' order by attnum`,
        [table],
      )
      const columns = given.join(', ')
      const planted = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`
      for (const tenant of [acme, undefined]) {
        await assert.rejects(
          attempt(app, planted, { ...(tenant !== undefined && { tenant }), values: [rows[0]!.row] }),
          { code: '42501' },
          `${table}: planted by ${tenant ?? 'nobody'}`,
        )
      }
      if (await may('UPDATE')) {
        const moved = attempt(app, `update ${table} set tenant_id = ${rival}`, { tenant: acme })
        await assert.rejects(moved, { code: '42501' }, `${table}: given away`)
      }
    }
  })

  // proves: EXIT-01
  it('has no column of a tenant that no list decides about: it leaves with the tenant, or why it does not', async () => {
    const found = await world.rows<{ name: string; columns: string[]; key: string[] }>(
      `
      select relname::text as name, array_agg(attname::text order by attnum) filter (where attgenerated = '') as columns,
        (select array_agg(k.attname::text order by place) from pg_index, unnest(indkey) with ordinality u (number, place)
          join pg_attribute k on k.attnum = u.number where k.attrelid = c.oid and indrelid = c.oid and indisprimary) as key
      from pg_class c join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped
      where relkind = 'r' and relnamespace = 'public'::regnamespace and (relname = any($1)
        or exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped)) group by c.oid, relname`,
      [['tenants', ...Object.keys(exportedKeys)]],
    )
    const decisions: Record<string, { key: readonly string[]; exported: readonly string[]; leftOut?: object }> = {
      ...exportedTables,
      ...exportedKeys,
    }
    const decided = new Map(
      Object.entries(decisions).map(([name, { key, exported, leftOut = {} }]) => [
        name,
        { key: [...key], columns: [...exported, ...Object.keys(leftOut)].sort() },
      ]),
    )
    assert.deepEqual(
      found.map(({ name }) => name).sort(),
      [...decided.keys(), ...Object.keys(leftOutTables)].sort(),
      'a table is in no list of src/modules/tenant-exports/columns.ts, or in two',
    )
    for (const { name, columns, key } of found)
      if (decided.has(name))
        assert.deepEqual(decided.get(name), { key, columns: columns.sort() }, `the columns of ${name}`)
    // What only proves who somebody is, or seals for this installation, has one of these names in every table.
    const secrets = Object.entries(decisions).flatMap(([name, { exported }]) =>
      exported.filter(column => /(password|hash|secret|handle|totp)/.test(column)).map(column => `${name}.${column}`),
    )
    assert.deepEqual(secrets, ['audit_entries.leaf_hash', 'audit_tiles.hashes'])
  })

  // proves: SVC-01
  it('shows a tenant its own line of the tenants, and the platform all of them', async () => {
    const seen = async (tenant?: number) =>
      (await attempt(app, 'select id from tenants order by id', tenant === undefined ? {} : { tenant })).rows.map(
        ({ id }) => Number(id),
      )
    assert.deepEqual(await seen(acme), [acme])
    assert.deepEqual(await seen(), [])
    assert.deepEqual(
      await seen(1),
      [1, acme, rival].sort((a, b) => a - b),
    )
    const renamed = await attempt(app, `update tenants set name = 'x' where id = ${rival}`, { tenant: acme })
    assert.equal(renamed.rowCount, 0)
    await assert.rejects(attempt(app, `delete from tenants where id = ${acme}`, { tenant: acme }), { code: '42501' })
  })

  for (const [isOpen, states, open] of [
    ['is_open_deviation', deviationStates, deviationStates.filter(state => !isDeviationOver(state))],
    ['is_open_capa', capaStates, capaStates.filter(state => !isCapaOver(state))],
    ['is_open_capa_action', actionStatuses, actionStatuses.filter(status => !isActionOver(status))],
    ['is_open_training_assignment', assignmentStates, openStates],
    ['is_open_controlled_copy', copyStates, copyStates.filter(isOpenCopy)],
  ] as const)
    it(`has the open states of ${isOpen}() from the same rules as the program`, async () => {
      assert.deepEqual(
        await column(`select found from unnest($1::text[]) found where ${isOpen}(found)`, [states]),
        open,
      )
    })

  it('calls a report late from the same moment on as the program', async () => {
    const detected = '2026-03-28T12:00:00.000Z'
    for (const [reported, isLate] of [
      ['2026-03-29T12:00:00.000Z', false],
      ['2026-03-29T12:00:00.001Z', true],
    ] as const) {
      const [row] = await world.rows('select is_reported_late($1, $2) as late', [detected, reported])
      assert.deepEqual([row, isReportedLate(detected, reported)], [{ late: isLate }, isLate])
    }
  })

  it('has the words of its checks from the same lists as the program', async () => {
    const checks = await world.rows<{ place: string; definition: string }>(`
      select format('%s.%s', conrelid::regclass, attname) as place, pg_get_constraintdef(pg_constraint.oid) as definition
      from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
      where contype = 'c' and connamespace = 'public'::regnamespace and cardinality(conkey) = 1 and pg_get_constraintdef(pg_constraint.oid) ~ 'ANY \\(ARRAY\\[' order by 1`)
    const found = checks.map(({ place, definition }) => [
      place,
      [...definition.matchAll(/'(\w+)'::text/g)].map(([, word]) => word!).sort(),
    ])
    const expected = Object.entries(words).map(([place, list]) => [place, [...list].sort()])
    assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected))
    const decision = HistoryEntry.properties.decision.anyOf[0].enum
    const trigger = HistoryEntry.properties.trigger.anyOf[0].enum
    assert.deepEqual([decision, trigger], [words['document_decisions.decision'], words['document_history.trigger']])
  })
})

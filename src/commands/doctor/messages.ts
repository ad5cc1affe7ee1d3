import { defineMessages } from '#kernel/message.ts'

type Count = {
  count: number
}
type Tenant = {
  tenant: string
}
type Place = {
  place: string
}
type Key = {
  key: string
}
type Link = {
  previous: string
  next: string
}

const counted = (n: number, one: string, several = `${one}s`) => `${n} ${n === 1 ? one : several}`

/** Each line of `doctor` is a subject and the result of its check. */
export const lines = defineMessages({
  doctor_about_configuration: 'configuration',
  doctor_about_storage: 'storage',
  doctor_about_virus_scanner: 'virus scanner',
  doctor_about_mail_server: 'mail server',
  doctor_about_anchors: 'anchors',
  doctor_about_embeddings: 'embeddings',
  doctor_about_converters: 'converters',
  doctor_about_database: 'database',
  doctor_about_migration_login: 'migration login',
  doctor_about_migrations: 'migrations',
  doctor_about_isolation: 'isolation',
  doctor_about_installation: 'installation',
  doctor_about_signature: 'signing key',
  doctor_about_audit: 'key of the audit trail',
  doctor_about_signing_keys: 'keys of signatures',
  doctor_about_second_factors: 'second factors',
  doctor_about_passkeys: 'passkeys',
  doctor_about_identity_providers: 'providers for single sign-on',
  doctor_about_first_tenant: 'first tenant',
  doctor_about_projections: 'projections',
  doctor_about_configuration_changes: 'changes of the configuration',
  doctor_about_texts: 'texts of documents',
  doctor_about_key_links: 'succession of keys',
  doctor_about_audit_keys: 'keys of the audit trail',
  doctor_about_trail: ({ tenant }: Tenant) => `audit trail of ${tenant}`,
  doctor_about_signatures: ({ tenant }: Tenant) => `signatures of ${tenant}`,
  doctor_about_files: ({ tenant }: Tenant) => `files of ${tenant}`,
  doctor_about_archives: ({ tenant }: Tenant) => `exports of ${tenant}`,
  doctor_about_to_explain: 'to be explained',
  doctor_about_not_examined: 'not examined',

  doctor_files_without_deep: '--files is for --deep',
  doctor_files_invalid: ({ given }: { given: string }) => `--files is a number or all, not ${given}`,
  doctor_none: 'there are none',

  doctor_configuration: ({ environment, folder }: { environment: string; folder: string }) =>
    `${environment}, data in ${folder}`,
  doctor_folder_unwritable: (found: { variable: string; folder: string; nearest: string; error: string }) =>
    `${found.variable} is ${found.folder}, and ${found.nearest} cannot be written (${found.error})`,
  doctor_storage_missing: ({ place }: Place) => `${place} does not exist yet; the first start creates it`,
  doctor_storage_works: ({ place }: Place) => `${place} can be listed, written, read and cleared`,
  doctor_virus_scanner_silent: ({ error }: { error: string }) => `it does not answer at CLAMAV_URL: ${error}`,
  doctor_virus_scanner_works: 'it answers',
  /** The mail server alone says whether it asks for a log-in, and one that does not is sent messages without it. */
  doctor_mail_server_works: 'it answers, and accepts the log-in if it asks for one',
  doctor_mail_server_answers: 'it answers (SMTP_URL has no log-in)',
  doctor_anchors_work: ({ store }: { store: string }) =>
    `${store} can be written (audit anchor --check compares the checkpoints that it has)`,
  doctor_embeddings_installed: 'the library is installed',
  doctor_converters_none: 'neither LibreOffice nor Tesseract is installed',
  doctor_converters_enclosed: ({ programs }: { programs: readonly string[] }) =>
    `${programs.join(' and ')} run in bubblewrap: they see the folders of the system, their own file and no network`,
  doctor_converters_see: ({ programs, folders }: Record<'programs' | 'folders', readonly string[]>) =>
    `${programs.join(' and ')} can read ${folders.join(' and ')}, because bubblewrap shows them the folders of the system. Move the data out of these folders`,
  doctor_converters_no_sandbox: ({ programs }: { programs: readonly string[] }) =>
    `${programs.join(' and ')} could read the keys and files of the service, because bubblewrap is not installed. Install it (Debian: apt-get install bubblewrap): docs/operations.md, Converters`,
  doctor_converters_sandbox_refused: ({ programs, reason }: { programs: readonly string[]; reason: string }) =>
    `${programs.join(' and ')} could read the keys and files of the service, because bubblewrap is not allowed to work here (${reason}). Allow user namespaces: docs/operations.md, Converters`,

  doctor_database_missing: 'there is none yet; the first start creates it',
  doctor_database_in_use: 'the service is running on this data. Stop it first, or use GET /api/health',
  doctor_database_wrong_login: ({ login }: { login: string }) => `the login is ${login}, it must be attest_app`,
  doctor_database_embedded: ({ version }: { version: string }) => `PostgreSQL ${version}`,
  doctor_database_plain: ({ version }: { version: string }) => `PostgreSQL ${version}, the connection is not encrypted`,
  doctor_database_encrypted: (found: { version: string; tls: string; is_verified: boolean }) =>
    `PostgreSQL ${found.version}, encrypted with ${found.tls}, the certificate of the server is ${found.is_verified ? 'verified' : 'NOT verified'}`,
  doctor_migration_login: 'attest_owner',
  doctor_migration_login_wrong: ({ login }: { login: string }) =>
    `MIGRATION_DATABASE_URL logs in as ${login}, it must be attest_owner`,
  doctor_migrations_applied: 'all are applied',
  doctor_migrations_waiting: ({ missing }: { missing: string }) =>
    `${missing}; the next start or qms migrate applies them`,
  doctor_migrations_missing: ({ missing, remedy }: { missing: string; remedy: string }) => `${missing}: ${remedy}`,
  doctor_isolation: ({ checks, functions }: { checks: number; functions: number }) =>
    `${checks} checks found no right, policy, key or view by which attest_app reaches another tenant. What the ${functions} functions do that run with the rights of their owner was not read`,

  doctor_installation: ({ installation }: { installation: string }) =>
    `database, storage and keys belong to ${installation}`,
  doctor_installation_new: 'it has no identity yet; the first start creates it',
  doctor_key_known: ({ key }: Key) => `${key} is known to the database`,
  doctor_key_new: ({ key }: Key) => `the first start registers ${key} in the database`,
  doctor_key_missing: 'there is none yet; the first start creates it',
  doctor_key_rotation_unfinished: ({ command }: { command: string }) =>
    `a rotation is not finished: run ${command} again`,
  doctor_signing_keys_known: ({ count }: Count) => `all ${count} are of this service`,
  doctor_signing_keys_unknown: ({ keys }: { keys: readonly string[] }) =>
    `no key of this service has confirmed ${keys.join(', ')}: signatures with such a key are refused. Find out who added it to the database. If it is an earlier key of this service, run signing-key confirm`,
  doctor_sealed: ({ count, has_previous }: Count & { has_previous: boolean }) =>
    `all ${count} open with SECRET_KEY${has_previous ? '. SECRET_KEY_PREVIOUS can be removed' : ''}`,
  doctor_second_factors_unreadable: ({ count, has_previous }: Count & { has_previous: boolean }) =>
    `${count} cannot be opened with SECRET_KEY${has_previous ? ' or SECRET_KEY_PREVIOUS. Reset them' : '. Set the key of before as SECRET_KEY_PREVIOUS, or reset them'} (docs/operations.md, A new SECRET_KEY)`,
  doctor_passkeys_unreadable: ({ count, has_previous }: Count & { has_previous: boolean }) =>
    `${count} were altered, or registered with another SECRET_KEY${has_previous ? '. Have them revoked and registered anew' : '. Set the key of before as SECRET_KEY_PREVIOUS, or have them revoked and registered anew'} (docs/operations.md, A new SECRET_KEY)`,
  doctor_providers: ({ count, has_previous }: Count & { has_previous: boolean }) =>
    `all ${count} secrets, settings and links open with SECRET_KEY${has_previous ? '. SECRET_KEY_PREVIOUS can be removed' : ''}`,
  doctor_provider_secrets_unreadable: ({ count, has_previous }: Count & { has_previous: boolean }) =>
    `${count} client secrets cannot be opened with SECRET_KEY${has_previous ? ' or SECRET_KEY_PREVIOUS. Confirm the settings of their providers and enter the secrets again' : '. Set the key of before as SECRET_KEY_PREVIOUS, or confirm the settings of their providers and enter the secrets again'} (docs/operations.md, A new SECRET_KEY)`,
  doctor_provider_links_unreadable: ({ count, has_previous }: Count & { has_previous: boolean }) =>
    `${count} links of users were not made by this service, were altered, or were sealed with another SECRET_KEY${has_previous ? '' : ' (set the key of before as SECRET_KEY_PREVIOUS)'}. Find out who wrote them, and have Admins remove them and make them again`,
  doctor_providers_altered: ({ providers }: { providers: readonly string[] }) =>
    `the settings of ${providers.join(', ')} were changed past the service. Find out who wrote to the database, compare the settings with the audit trail, and confirm them (docs/sign-in.md, Altered settings)`,
  doctor_sealed_previous: ({ count }: Count) =>
    `${count} are still sealed with SECRET_KEY_PREVIOUS. Run secret-key reseal once every host has SECRET_KEY`,

  doctor_first_tenant: ({ tenant, admin }: Tenant & { admin: string }) =>
    `the first start creates ${tenant} with the Admin ${admin}`,
  doctor_first_tenant_exists:
    'there is a tenant already, so the BOOTSTRAP_ variables have no effect. Remove them, BOOTSTRAP_ADMIN_PASSWORD above all',
  doctor_first_tenant_password_in_use: ({ username }: { username: string }) =>
    `there is a tenant already, so the BOOTSTRAP_ variables have no effect. Remove them, BOOTSTRAP_ADMIN_PASSWORD above all: it is still the password of ${username}, who should change it`,
  doctor_projections_match: ({ names, not_compared }: Record<'names' | 'not_compared', readonly string[]>) =>
    `${names.join(', ')} match the records of every tenant (qms projections check also compares ${not_compared.join(', ')})`,
  doctor_projections_too_long: ({ seconds }: { seconds: number }) =>
    `they were not all compared within ${seconds} s, and nothing is said about them: run qms projections check`,
  doctor_configuration_approved: 'another person approves them in every active tenant',
  doctor_configuration_unapproved: ({ tenants }: { tenants: readonly string[] }) =>
    `one person alone can make them in ${tenants.join(', ')}, where the setting configuration_needs_approval is off`,
  doctor_texts_read: 'none waits to be read, has failed or is outdated',
  doctor_texts_outdated: ({ count }: Count) => `${count} were read by an older program (qms reindex reads them again)`,
  doctor_texts_failed: ({ count }: Count) => `${count} cannot be read (qms reindex --failed tries again)`,
  doctor_texts_waiting: ({ count }: Count) => `${count} are still to be read`,

  doctor_records_not_reached: 'whatever is in the database, which does not answer',
  doctor_not_deep: 'signatures, audit trails and stored files (doctor --deep examines them)',
  doctor_deep_not_reached: 'signatures, audit trails and stored files',
  doctor_beyond_sample: 'the stored files outside of the sample (--files all reads every file)',
  doctor_beyond_replaced_trail:
    'whether a whole audit trail was replaced by another that was signed with its key (audit anchor --check compares what is kept elsewhere)',
  doctor_beyond_details:
    'the details of audit entries that were redacted, entries that are not sealed yet, backups, and the projections that projections check reads',
  doctor_more: ({ count }: Count) => `${count} more`,
  doctor_more_at_least: ({ count }: Count) => `${count} or more besides`,

  /** `told`: the links that an entry names. Fewer than all are found only where entries have redacted details. */
  doctor_key_links: ({ keys, links, told }: Record<'keys' | 'links' | 'told', number>) => {
    const found = `${counted(keys, 'key')}, each with the id of its public key`
    if (links === 0) return found
    const [of, rest] =
      told === links
        ? ['', '']
        : [`${told} of ${links} `, '. The others may be told by entries whose details were redacted']
    return `${found}; ${counted(links, 'link')} between them, sealed by their keys and ${of}told in the audit trail of the platform${rest}`
  },
  doctor_key_replaced: ({ key }: Key) => `the key ${key} was replaced: its id is not that of this public key`,
  doctor_key_link_unsealed: ({ previous, next }: Link) =>
    `the link from ${previous} to ${next} is not sealed by these keys`,
  doctor_key_link_untold: ({ previous, next }: Link) =>
    `the audit trail tells nothing of the link from ${previous} to ${next}`,
  doctor_audit_keys: ({ count }: Count) => `${counted(count, 'key')}, each at hand or told in an audit trail`,
  doctor_audit_keys_none: 'there is none yet',
  doctor_audit_key_untold: ({ key }: Key) =>
    `no audit trail tells of the key ${key}: find out who added or replaced it`,
  doctor_audit_key_absent: 'not examined, because no key of the audit trail is at hand',
  doctor_trail: ({ entries, checkpoints }: { entries: number; checkpoints: number }) =>
    `${counted(entries, 'sealed entry', 'sealed entries')} and ${counted(checkpoints, 'checkpoint')} verified`,
  /** `waiting` is counted up to 100. */
  doctor_trail_waiting: (found: { entries: number; checkpoints: number; waiting: number }) =>
    `${counted(found.entries, 'sealed entry', 'sealed entries')} and ${counted(found.checkpoints, 'checkpoint')} verified; ${
      found.waiting === 1
        ? '1 waits to be sealed, and was'
        : `${found.waiting === 100 ? '100 or more' : found.waiting} wait to be sealed, and were`
    } not verified`,
  /** `entry` and `place` are null where the fault has none. */
  doctor_trail_fault: ({ entry, place, fault }: { entry: number | null; place: number | null; fault: string }) =>
    `${entry === null ? '' : `entry ${entry}: `}${place === null ? '' : `place ${place}: `}${fault}`,
  doctor_signatures: ({ verified, of }: { verified: number; of: number }) =>
    `${verified} of ${of} verified, each by its ten checks`,
  doctor_signatures_of_removed: ({ verified, of, without }: { verified: number; of: number; without: number }) =>
    `${verified} of ${of} verified, each by its ten checks. ${without} of them cover a file that two people removed, which was not compared`,
  doctor_about_removals: ({ tenant }: { tenant: string }) => `removed files of ${tenant}`,
  doctor_removal: ({ id, statement }: { id: number; statement: string }) => `file removal ${id}: ${statement}`,
  doctor_removal_without_storage: ({ id, statement }: { id: number; statement: string }) =>
    `file removal ${id}: ${statement}. Whether the store still has it was not examined, because the storage fails`,
  doctor_removal_content_there: ({ id, statement }: { id: number; statement: string }) =>
    `file removal ${id}: ${statement}. Its content is still in the store, or again after a restore. The service deletes it within a day; if it does not, its log says why`,
  doctor_signature_fault: ({ id, of, faults }: { id: number; of: string; faults: readonly string[] }) =>
    `signature ${id} on ${of}: ${faults.join('; ')}`,
  doctor_signatures_without_key: ({ count }: Count) =>
    `${count} signatures name a key that is missing, and were not verified`,
  doctor_signing_key_absent: ({ count }: Count) => `${count} not examined, because no key of signatures is at hand`,
  doctor_storage_failing: ({ count }: Count) => `${count} not examined, because the storage fails`,
  doctor_archives: ({ found, of }: { found: number; of: number }) =>
    `${found} of ${of} archives are in the store, each with its recorded size`,
  doctor_archives_read: ({ found, of }: { found: number; of: number }) =>
    `${found} of ${of} archives are in the store, each read with its recorded size and SHA-256`,
  doctor_files: ({ read, of }: { read: number; of: number }) =>
    `${read} of ${of} read, each with its recorded size and SHA-256`,
  doctor_files_sampled: ({ read, of }: { read: number; of: number }) =>
    `${read} of ${of} read, each with its recorded size and SHA-256: a random sample`,
})

import { defineMessages } from '#kernel/message.ts'

type Option = {
  option: string
}
type Folder = {
  folder: string
}
type Key = {
  key: string
}
type Failed = {
  reason: string
}

/** A command that needs the data folder for itself, with the other ways to the same end. */
const running =
  (instead: string) =>
  ({ folder }: Folder) =>
    `The service is running on ${folder}: ${instead}`

/** The lines and the refusals of the command line. Those of larger commands are in their folders. */
export const lines = defineMessages({
  command_unknown: ({ command }: { command: string }) => `There is no command ${command}.`,
  /** A failure that something below the command line describes. */
  failure_reported: ({ reason }: Failed) => `${reason}`,
  failure_without_reason: 'it failed',
  option_needed: ({ option }: Option) => `${option} is needed`,
  options_exclusive: ({ options }: { options: readonly [string, string] }) =>
    `${options.join(' and ')} exclude each other`,
  option_one_needed: ({ options }: { options: readonly [string, string] }) =>
    `Either ${options.join(' or ')} is needed`,
  option_positive_number: ({ option }: Option) => `${option} is a whole number from 1`,
  option_too_large: ({ option, maximum }: Option & { maximum: number }) => `${option} is at most ${maximum}`,
  option_no_email: ({ option }: Option) => `${option} is not an e-mail address`,
  /** A refusal of the service, with the name of the field. */
  field_refused: ({ field, reason }: Failed & { field: string }) => `${field}: ${reason}`,

  service_running: running('stop it first'),
  service_running_migrated: ({ folder }: Folder) =>
    `The service is running on ${folder}, and migrated it when it started`,
  service_running_backup: ({ folder }: Folder) =>
    `The service is running on ${folder}, and its PostgreSQL belongs to one process at a time. Stop it first (with an external PostgreSQL a backup can be made while the service runs)`,
  service_running_import: running('stop it first, or upload the files in archives'),
  service_running_reindex: running('stop it first; its next start reads the files'),
  service_running_anchor: running('stop it first, or look at GET /api/status'),
  service_running_sweep: running('it sweeps once a day by itself; to see what it would do, stop it first'),
  service_running_user_create: running('stop it first, or let an Admin create the user at POST /api/users/'),
  service_running_user_unlock: running('stop it first, or wait: no lock lasts longer than 15 minutes'),
  service_running_platform_user: running('stop it first: platform users are made at the command line alone'),
  service_running_tenant_create: running(
    'stop it first, or let a platform user create the tenant at POST /api/platform/tenants/',
  ),
  service_running_mail_list: running('stop it first, or see their number at GET /api/status'),
  service_running_mail_retry: running('stop it first; it retries e-mails itself for about a day'),

  listen_failed: ({ address, reason }: Failed & { address: string }) => `Cannot listen on ${address}: ${reason}`,
  metrics_listen_failed: ({ reason }: Failed) => `Metrics cannot listen: ${reason}`,
  database_open_failed: ({ reason }: Failed) => `The database cannot be opened: ${reason}`,
  database_missing: ({ folder }: Folder) => `There is no database in ${folder}. Set DATA_DIR or DATABASE_URL`,
  database_current: 'The database is up to date.',
  owner_login_missing:
    'MIGRATION_DATABASE_URL is not set. It must log in as attest_owner, the owner of the tables, who sees the rows of every tenant',
  owner_login_wrong: ({ login }: { login: string }) =>
    `MIGRATION_DATABASE_URL logs in as ${login}, but must log in as attest_owner, the owner of the tables`,

  sso_domain_confirmed: ({ domain, tenant }: { domain: string; tenant: string }) =>
    `${domain} is confirmed as a mail domain of ${tenant}`,
  tenant_unknown: ({ slug }: { slug: string }) => `There is no tenant ${slug}`,
  tenant_option_needed: '--tenant is needed: there is not exactly one tenant',
  tenant_created: ({ name, slug, id, admin }: { name: string; slug: string; id: number; admin: string }) =>
    `Created the tenant ${name} (${slug}, id ${id}) with the Admin ${admin}.`,
  tenant_admin_nameless: ({ username }: { username: string }) =>
    `${username} has no full name, and so cannot sign: enter it at PUT /api/users/{id}.`,
  tenant_role_unknown: ({ tenant, role }: { tenant: string; role: string }) => `${tenant} has no role ${role}`,
  user_created: (user: { username: string; id: number; role: string; tenant: string }) =>
    `Created the user ${user.username} (id ${user.id}, ${user.role}) of ${user.tenant}.`,
  user_unknown: ({ username }: { username: string }) => `There is no user ${username}`,
  user_unlocked: ({ username, was_locked }: { username: string; was_locked: boolean }) =>
    was_locked ? `Unlocked ${username}.` : `${username} is not locked. The failed log-ins were cleared.`,
  platform_user_created: ({ username }: { username: string }) =>
    `Created the platform user ${username}. Add this to an authenticator app; it is not shown again.`,
  platform_user_secret: ({ secret, uri }: Record<'secret' | 'uri', string>) => `Secret: ${secret}\nURI:    ${uri}`,

  mail_none_failed: 'There is no failed e-mail to queue',
  mail_queued_again: ({ count }: { count: number }) =>
    `${count} ${count === 1 ? 'message is' : 'messages are'} queued again.`,
  mail_server_missing: 'SMTP_URL is not set, so no e-mail is sent',
  mail_server_accepted: ({ address }: { address: string }) => `The mail server has accepted an e-mail to ${address}.`,

  key_file_needed:
    'SIGNING_KEY_FILE and AUDIT_KEY_FILE are set, and this command does not change those files: name a file for the new key with --to FILE, and replace the old one by it',
  key_file_not_needed:
    '--to is for keys that SIGNING_KEY_FILE and AUDIT_KEY_FILE name: the new key goes to DATA_DIR/keys',
  key_file_in_use: ({ file }: { file: string }) => `${file} has the key in use. Name another file`,
  keys_present:
    'The keys are present and belong to this installation. To replace them, run signing-key rotate and audit-key rotate',
  keys_to_copy: 'Copy the keys to every other host of the installation, and to their safe place.',
  signing_key_written: ({ key, file, in_use }: Key & { file: string; in_use: string }) =>
    `The key ${key} is in ${file}, and the database knows it. Signatures are still sealed by ${in_use}.`,
  signing_key_to_place:
    'Put it in the place of SIGNING_KEY_FILE on every host, restart every process, and remove this copy.',
  signing_key_rotated: ({ key, before }: Key & { before: string }) =>
    `The key ${key} seals the signatures from the next start on, in the place of ${before}.`,
  signing_key_to_copy: 'Earlier seals stay valid. Copy DATA_DIR/keys to every host, and restart every running process.',
  signing_key_replaced: ({ key, before }: Key & { before: string }) =>
    `The key ${key} seals signatures. Earlier seals of ${before} stay valid.`,
  signing_key_unknown: ({ key }: Key) => `There is no key ${key}. signing-key list shows them`,
  signing_key_in_use: ({ key }: Key) => `The key ${key} is in use, and needs no confirmation`,
  signing_key_trusted: ({ key }: Key) => `The key ${key} is trusted already`,
  signing_key_not_trusted: ({ key }: Key) =>
    `The key ${key} is not trusted. If it is an earlier key of this installation: signing-key confirm`,
  signing_key_confirmed: ({ key, by }: Key & { by: string }) =>
    `The key ${key} is confirmed by ${by}: signatures that it sealed are trusted.`,
  audit_key_rotation_unfinished: ({ key }: Key) =>
    `A rotation to ${key} is not finished. Run audit-key rotate --finish first`,
  audit_key_rotation_none: 'There is no rotation to finish',
  audit_key_files_to_change:
    'This command does not change the files that variables name: on every host, unset PREVIOUS_AUDIT_KEY_FILE, destroy that key, and restart every process',
  audit_key_written: ({ key, file, in_use }: Key & { file: string; in_use: string }) =>
    `The key ${key} is in ${file}, and the database knows it. Checkpoints are still signed by ${in_use}.`,
  audit_key_to_place:
    'On every host, let PREVIOUS_AUDIT_KEY_FILE name the key in use and AUDIT_KEY_FILE the new one, and restart every\nprocess: then both sign. Remove this copy, and send the new key to everybody who verifies:',
  audit_key_rotated: ({ keys }: { keys: readonly [string, string] }) =>
    `The keys ${keys.join(' and ')} both sign checkpoints from the next start on.`,
  audit_key_to_copy:
    'Copy DATA_DIR/keys to every host, restart every running process, and send the new key to everybody who verifies:',
  audit_key_to_finish: '  audit-key list --tenant SLUG\nWhen they have it, run audit-key rotate --finish',
  audit_key_finished: ({ key }: Key) =>
    `The key ${key} alone signs from the next start on. Restart every running process.`,
  audit_key_replaced: ({ key, before }: Key & { before: string }) =>
    `The key ${key} signs checkpoints of the audit trail, in the place of ${before}.`,
  audit_key_to_send: 'Send it to everybody who verifies, with the reason: audit-key list --tenant SLUG',
  secret_key_previous_missing: 'SECRET_KEY_PREVIOUS is not set: give it the SECRET_KEY that was in use before',
  secret_key_resealed: ({ count }: { count: number }) =>
    `Sealed ${count} ${count === 1 ? 'secret' : 'secrets'} with SECRET_KEY.`,
  secret_key_previous_to_remove:
    'Remove SECRET_KEY_PREVIOUS from every host, and keep it where backups that it sealed are kept.',

  mark_unreadable: ({ folder, reason }: Folder & Failed) => `${folder}: ${reason}`,
  store_taken: 'Another installation has just begun to use this store. Start again to see which',
  store_foreign: ({ place, found, expected }: { place: string; found: string; expected: string }) =>
    `${place} is the store of another installation (${found}); this one is ${expected}`,
  key_outdated: ({ file, newest }: { file: string; newest: string }) =>
    `${file} is not the newest key of this installation, which is ${newest}: a rotation has not reached this host`,

  audit_entry_number: '--entry is the id of an entry, a whole number from 1',
  audit_part_unknown: '--part is person or detail',
  audit_redacted: ({ parts, count }: { parts: readonly string[]; count: number }) =>
    `Redacted the ${parts.join(' and the ')} of ${count} ${count === 1 ? 'entry' : 'entries'}.`,
  audit_redacted_backups: 'Earlier backups still contain the data.',
  audit_anchors_missing: 'AUDIT_ANCHOR names no folder, so there are no checkpoints to compare',
  audit_anchors_unreadable_epoch: ({ reason }: Failed) =>
    `${reason}. Without it the new epoch would not record what was lost`,
  audit_anchor_file_empty: ({ file }: { file: string }) => `${file} holds no checkpoint`,
  audit_anchor_file_unreadable: ({ file, reason }: Failed & { file: string }) => `${file} cannot be read: ${reason}`,
  audit_anchor_compared: (found: { is_well: boolean; tenant: string | null; log: string; result: string }) =>
    `${found.is_well ? 'ok  ' : 'FAIL'}  ${found.tenant ?? 'unknown'}  ${found.log}  ${found.result}`,
  audit_anchor_sent: ({ address }: { address: string }) => `sent  ${address}`,
  audit_epoch_begun: ({ tenant, epoch }: { tenant: number; epoch: number }) =>
    `The audit trail of tenant ${tenant} continues in epoch ${epoch}.`,
  audit_epoch_records: ({ where, size, epoch }: { where: string; size: number; epoch: number }) =>
    `  It records ${where}: ${size} entries in epoch ${epoch}.`,
  audit_epoch_records_nothing: '  No checkpoint is stored outside of the database.',

  import_folder_options: 'Name the tenant, the import and the folder: --tenant SLUG --batch ID --from FOLDER',
  import_folder_progress: ({ files }: { files: number }) => `${files} files are kept`,
  import_folder_refused: ({ reason }: { reason: string }) => `The files were not taken: ${reason}`,
  import_folder_file_refused: ({ path, reason }: { path: string; reason: string }) => `${path}: ${reason}`,
  import_folder_empty: ({ folder }: Folder) => `There are no files in ${folder}`,
  import_folder_done: ({ files, refused }: { files: number; refused: number }) =>
    `${files} files are kept, and ${refused} were refused; check the import next`,
  reindex_nothing: 'There is no file to read again',
  reindex_queued: ({ tenant, files, job }: { tenant: number; files: number; job: number }) =>
    `tenant ${tenant}: ${files} files are queued for the service (job ${job}); until they are read, search uses the old text`,
  reindex_progress: ({ read, total }: { read: number; total: number }) => `${read} of ${total} are read`,
  model_no_folder: ({ folder }: Folder) => `There is no folder ${folder}`,
  model_name_wrong:
    'A model is named in letters, digits, dots and dashes, as multilingual-e5-small or intfloat/multilingual-e5-small. Set --name',
  model_incomplete: ({ file }: { file: string }) =>
    `The folder has no ${file}. A model needs all its files, with its network in onnx/`,
  model_checksum: ({ file }: { file: string }) =>
    `${file} is not the file of the checksums in SHA256SUMS. Copy the model again`,
  model_unusable: ({ file }: { file: string }) => `The model makes no vectors that a search can use (${file})`,
  model_fails: ({ reason }: Failed) => `The model was not installed: ${reason}`,
  model_installed: ({ model, dimensions, sum }: { model: string; dimensions: number; sum: string }) =>
    `${model} is installed: vectors of ${dimensions} dimensions; the checksum of its list of checksums is ${sum}.`,
  model_used:
    'The next start of the service uses it, and makes the vectors of all texts anew. Install it on each host.',
  model_not_used: ({ provider }: { provider: string }) =>
    `EMBEDDINGS_PROVIDER is ${provider}. Remove it, and the next start of the service uses the model`,
  vector_index_embedded: 'The embedded database has no pgvector. Set DATABASE_URL to an external one',
  vector_index_no_extension:
    'This database has no pgvector 0.8 or later. A superuser must run CREATE EXTENSION vector first',
  vector_index_no_vectors: 'No text has a vector yet. The service makes them while it runs',
  vector_index_made: ({ model }: { model: string }) =>
    `The vectors of ${model} are indexed. Run this again after another model has taken over.`,
  projection_unknown: ({ name, names }: { name: string; names: readonly string[] }) =>
    `There is no projection ${name}. Name one of ${names.join(', ')}`,
  projections_differ: ({ found }: { found: readonly string[] }) =>
    `these differ from the records, which somebody changed by hand, or a bug did (qms projections rebuild makes them again): ${found.join('; ')}`,
  projections_match: ({ names, tenants }: { names: readonly string[]; tenants: number }) =>
    `${names.join(', ')} match the records of ${tenants} tenants.`,
  projection_rebuilt: ({ name, tenant }: { name: string; tenant: number }) =>
    `The projection ${name} of tenant ${tenant} is rebuilt.`,
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_key_lost: 'The key before is lost',
})

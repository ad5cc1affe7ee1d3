import { defineMessages } from '#kernel/message.ts'

type Path = { path: string }

/** What `qms tenant import` says. */
export const lines = defineMessages({
  import_manifest_missing: ({ folder }: { folder: string }) =>
    `${folder} has no manifest.json and manifest.sig: it is no export, or one that is not complete. Unpack a zip first`,
  import_manifest_damaged: 'manifest.json cannot be read: the export is damaged',
  import_format_other: ({ format }: { format: string }) =>
    `The export has the format ${format}, which this program does not read`,
  import_digest_differs: ({ found, expected }: Record<'found' | 'expected', string>) =>
    `The SHA-256 of manifest.json is ${found}, not ${expected}: this is another export, or it was changed`,
  import_digest_needed: ({ found }: { found: string }) =>
    `--digest is needed: compare the SHA-256 of manifest.json, ${found}, with the one that the other installation shows for its export`,
  import_manifest_unsigned: ({ key }: { key: string }) =>
    `manifest.json is not signed by the key of the audit trail that the export names, ${key}: it was changed`,
  import_file_unnamed: ({ path }: Path) => `${path} is not in the manifest: the export was changed`,
  import_file_missing: ({ path }: Path) => `${path} is missing`,
  import_file_differs: ({ path }: Path) => `${path} is not what the manifest says: it was changed, or is damaged`,
  import_path_foreign: ({ path }: Path) => `The manifest names ${path}, which is no path in an export`,
  import_schema_other: ({ made, own }: Record<'made' | 'own', string>) =>
    `The export has the tables of another release: its last migration is ${made}, and this program's is ${own}. Bring both installations to the same release, and export again`,
  import_tables_other:
    'tables/tables.json does not list the tables and columns of this program: the export was changed',
  import_row_foreign: ({ table, line }: { table: string; line: number }) =>
    `tables/${table}.jsonl, line ${line}, is no row of this company: the export was changed`,
  import_rows_differ: ({ table, found, expected }: { table: string; found: number; expected: number }) =>
    `tables/${table}.jsonl has ${found} rows, and ${expected} are listed`,
  import_checked: ({
    slug,
    rows,
    files,
    snapshot_at,
  }: {
    slug: string
    rows: number
    files: number
    snapshot_at: string
  }) => `The export of ${slug} is complete and unchanged: ${rows} rows, ${files} files, as of ${snapshot_at}.`,

  import_owner_rights_missing:
    'attest_owner may not act as attest_app: run src/platform/db/roles.sql in this database, as a superuser',
  import_no_installation:
    'The installation was never started, so that it has no keys: start the service once, or run the import without --check',
  import_tenant_taken: ({ id }: { id: number }) =>
    `A company with the id ${id} is here already. Ids are kept, because signatures and the trail name them: import into another installation`,
  import_slug_taken: ({ slug }: { slug: string }) =>
    `A company with the short name ${slug} is here already: rename one of the two, and export again`,
  import_users_taken: ({ users }: { users: readonly string[] }) =>
    `These user names or addresses are taken here: ${users.join(', ')}. A log-in names no company, so each is one person's`,
  import_log_taken: ({ log_id }: { log_id: string }) =>
    `The audit trail ${log_id} is here already: this company was imported before`,
  import_ids_taken: ({ table, ids }: { table: string; ids: readonly string[] }) =>
    `The table ${table} has rows with these ids already: ${ids.join(', ')}. Both installations draw their ids from one range: import into another installation, with an INSTALLATION_NUMBER of its own`,

  import_rows: ({ table, rows }: { table: string; rows: number }) => `${table}: ${rows} rows`,
  import_trail_invalid: 'The audit trail of the export does not verify:',
  import_trail_fault: ({ entry, fault }: { entry: number | null; fault: string }) =>
    entry === null ? fault : `Entry ${entry}: ${fault}`,
  import_trail_valid: ({ entries, checkpoints }: Record<'entries' | 'checkpoints', number>) =>
    `The audit trail verifies: ${entries} entries, ${checkpoints} checkpoints.`,
  import_signatures_unverified: ({ count }: { count: number }) =>
    `${count} signatures could not be verified, because their keys are not in the export`,
  import_signatures_valid: ({ count, voided }: Record<'count' | 'voided', number>) =>
    `All ${count} signatures verify${voided === 0 ? '' : `; ${voided} of them are void`}.`,
  import_files: ({ files }: { files: number }) => `copying ${files} files`,
  import_stopped_after_files:
    'Files were copied, and no record names them: another import goes on with them, and qms storage sweep removes them.',
  import_possible: 'The company can be imported. Nothing was written.',
  import_complete: ({ slug, users }: { slug: string; users: number }) =>
    `${slug} is here. None of its ${users} people has a password: make an Admin with qms user create --tenant ${slug} --role Admin, who invites the others or sets up single sign-on.`,
  import_to_do: ({ slug }: { slug: string }) =>
    `The service reads the texts of the files again for search. Run qms doctor --deep when it has, and close ${slug} in the other installation.`,
})

/** What is written into the audit trail. */
export const reasons = defineMessages({
  reason_imported: ({
    installation,
    manifest_sha256,
    snapshot_at,
  }: Record<'manifest_sha256' | 'snapshot_at', string> & { installation: string | null }) =>
    `imported from ${installation === null ? 'another installation' : `the installation ${installation}`}: the export as of ${snapshot_at} whose manifest has the SHA-256 ${manifest_sha256}`,
})

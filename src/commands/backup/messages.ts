import { defineMessages } from '#kernel/message.ts'

type What = {
  /** A file of the backup, or a file of a record. */
  what: string
}
type Manifest = {
  manifest: string
}
type Counts = {
  files: number
  snapshot_at: string
}
type Migration = {
  migration: string
}

export const lines = defineMessages({
  backup_complete: ({ folder, rows, files, snapshot_at }: Counts & { folder: string; rows: number }) =>
    `The backup in ${folder} is complete: ${rows} rows, ${files} files, as of ${snapshot_at}.`,
  backup_not_noted: ({ reason }: { reason: string }) =>
    `The backup is complete, but the database could not note that it was made, so the page of the operators does not show it: ${reason}`,
  backup_digest: ({ manifest, digest }: Manifest & { digest: string }) => `SHA-256 of ${manifest}: ${digest}`,
  /** `keys` is null where the backup has them. */
  backup_to_keep: ({ keys }: { keys: string | null }) =>
    `Keep SECRET_KEY${keys === null ? '' : ` and ${keys}`} in another place. Anybody who can read the folder can read every record.`,
  backup_folder_used: ({ folder }: { folder: string }) => `${folder} is not empty`,
  backup_folder_unfinished: ({ folder, manifest }: Manifest & { folder: string }) =>
    `${folder} is not empty: it has a backup that is not complete (there is no ${manifest}). Remove it first`,
  backup_no_tables: 'The database has no tables, so there is nothing to back up',
  backup_table: ({ table, rows }: { table: string; rows: number }) => `${table}: ${rows} rows`,
  backup_copying: ({ files }: { files: number }) => `copying ${files} files`,
  backup_file_missing: ({ reason }: { reason: string }) => `${reason}: see UPLOAD_DIR or STORAGE_TYPE`,

  backup_manifest_missing: ({ folder, manifest }: Manifest & { folder: string }) =>
    `${folder} has no ${manifest}. It is not a backup, or one that is not complete`,
  backup_manifest_digest_differs: ({ manifest, found, expected }: Manifest & { found: string; expected: string }) =>
    `The SHA-256 of ${manifest} is ${found}, not ${expected}`,
  backup_manifest_changed: ({ manifest }: Manifest) =>
    `${manifest} was changed, or made with another SECRET_KEY. Set that one (SECRET_KEY_PREVIOUS will do), or confirm the SHA-256 that the backup printed with --digest`,
  backup_manifest_other_version: ({ manifest }: Manifest) =>
    `${manifest} cannot be read by this program. Use the version that made it`,
  backup_manifest_damaged: ({ manifest }: Manifest) => `${manifest} is not JSON. The backup is damaged`,
  backup_part_missing: ({ what }: What) => `${what} is missing`,
  backup_part_length_differs: ({ what, found, expected }: What & { found: number; expected: number }) =>
    `${what} has ${found} bytes, and ${expected} were recorded`,
  backup_part_differs: ({ what }: What) => `${what} differs from the recorded file in its SHA-256`,
  backup_key_differs: ({ file }: { file: string }) => `${file} differs from the recorded key`,
  backup_signatures_invalid: 'Signatures of the backup do not verify:',
  backup_signature_invalid: ({ id, of, reasons }: { id: number; of: string; reasons: readonly string[] }) =>
    `Signature ${id} on ${of}: ${reasons.join('; ')}`,

  restore_checking: ({ files }: { files: number }) => `checking ${files} files`,
  restore_backup_intact: ({ tables, files, snapshot_at }: Counts & { tables: number }) =>
    `The backup is complete and unchanged: ${tables} tables, ${files} files, as of ${snapshot_at}.`,
  restore_migration_unknown: ({ migration, version }: Migration & { version: string }) =>
    `The backup was made by version ${version} with migration ${migration}, which this program does not have. Restore it with the version that made it`,
  restore_database_newer: ({ migration, last }: Migration & { last: string }) =>
    `The database has migration ${migration} already, but the backup ends with ${last}. Restore into a new database`,
  restore_database_used: ({ table }: { table: string }) =>
    `The database is not empty (${table} has rows). Restore into a new one`,
  restore_tables_differ: 'The tables of the backup do not match its migrations',
  restore_sequences_differ: 'The sequences of the backup do not match its migrations',
  restore_key_differs: ({ file }: { file: string }) =>
    `${file} differs from the key of the backup. Move one of them away`,
  restore_copy_has_keys: ({ folder }: { folder: string }) =>
    `${folder} has keys. A copy must begin without keys, and gets its own by installation new-keys`,
  /** `expected` is null for a copy, which becomes an installation of its own. */
  restore_place_foreign: ({ place, found, expected }: { place: string; found: string; expected: string | null }) =>
    `${place} belongs to the installation ${found}, and the restored one ${expected === null ? 'becomes another' : `is ${expected}`}. Restore into an empty one`,
  restore_folder_used: ({ folder }: { folder: string }) =>
    `${folder} is not empty. A backup is restored into an empty installation. If the database is new too, no record names these files: move them away`,
  restore_bucket_used: ({ place, file }: { place: string; file: string }) =>
    `${place} has files of another origin, such as ${file}. Restore into an empty one`,
  restore_files: ({ files }: { files: number }) => `restoring ${files} files`,
  /** `without` cover a file that two people removed. */
  restore_signatures_valid: ({ valid, voided, without }: Record<'valid' | 'voided' | 'without', number>) => {
    const voids = voided === 0 ? '' : `, and ${voided} are void and unaltered`
    const removed =
      without === 0 ? '' : `. ${without} of them cover a file that two people removed, which was not compared`
    return `${valid} signatures are valid${voids}${removed}`
  },
  restore_signatures_unverified: ({ count }: { count: number }) => `${count} signatures were not verified`,
  restore_without_keys:
    'The backup has no keys: doctor examines whose keys sealed them, when DATA_DIR/keys is in place',
  restore_live_api_key: ({ key, account, tenant }: Record<'key' | 'account' | 'tenant', string>) =>
    `The key ${key} of the service account ${account} (${tenant}) is good again. Revoke it if it was revoked since the backup.`,
  restore_finishing: 'finishing',
  restore_complete:
    'The restore is complete. Its rows and files are those of the backup, and its signatures were verified; doctor --deep verifies the audit trails. Start the service when SECRET_KEY and DATA_DIR/keys are in place.',
  restore_copy_complete:
    'The copy is complete. Its rows and files are those of the backup, and its signatures were verified. It is an installation of its own: set SECRET_KEY, run installation new-keys, then start.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_restored: ({ snapshot_at }: { snapshot_at: string }) => `Restored from the backup of ${snapshot_at}`,
})

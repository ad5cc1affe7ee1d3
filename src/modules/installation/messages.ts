import { defineMessages } from '#kernel/message.ts'

type Place = {
  place: string
}
type Installation = {
  installation: string
}

const shared = 'set UPLOAD_DIR, or STORAGE_TYPE and its variables, to the folder or bucket that all hosts share'
const lost = 'if no copy is left, run: qms installation new-keys'

/** The problems that a start refuses and doctor reports. */
export const lines = defineMessages({
  store_unmarked: ({ place, installation }: Place & Installation) =>
    `${place} is not the store of this installation (${installation}): there is no installation.json in it; ${shared}`,
  store_of_another: ({ place, found, installation }: Place & Installation & { found: string }) =>
    `${place} is the store of another installation (${found}), and this database is of ${installation}: ${shared}`,
  store_in_use: ({ place, found }: Place & { found: string }) =>
    `${place} is the store of another installation (${found}): use a folder or bucket of its own, or set DATABASE_URL to the database of that installation`,
  store_without_files: ({ place, files }: Place & { files: number }) =>
    `${place} has none of ${files} files that records of this database name: ${shared}`,
  store_with_files: ({ place, file }: Place & { file: string }) =>
    `${place} has files, such as ${file}, and this database names none: use an empty folder or bucket, or set DATABASE_URL to the database that they belong to`,
  keys_of_another: ({ folder, found, installation }: Installation & { folder: string; found: string }) =>
    `${folder} has the keys of another installation (${found}), and this is ${installation}: copy the folder from a host of this installation`,
  keys_missing: ({ folder, keys }: { folder: string; keys: readonly string[] }) =>
    `${folder} has no ${keys.join(' and no ')}, and this installation has been using one: copy DATA_DIR/keys from a host of it, or set SIGNING_KEY_FILE and AUDIT_KEY_FILE; ${lost}`,
  key_unknown: ({ kind, key, from, newest }: Record<'kind' | 'key' | 'from' | 'newest', string>) =>
    `the ${kind} ${key} (${from}) is not of this installation, whose newest is ${newest}: put that one in its place; ${lost}`,
})

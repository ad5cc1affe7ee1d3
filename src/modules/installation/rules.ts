import type { PublicHalf } from '#modules/audit'
import type { KeyName } from '#platform/crypto/signing-key.ts'
import type { Mark } from '#platform/storage/mark.ts'

/** The installation's identity, known keys and sampled files, as stored in the database. */
export interface Records {
  /** Undefined until the first start is complete. */
  installation: string | undefined
  /** The known keys, the oldest first. */
  keys: Record<KeyName, PublicHalf[]>
  /** Some keys of files that its records use; read only if there is no identity yet. */
  files: string[]
}

/** The file store and the keys that a process works with. */
export interface Surroundings {
  store: {
    /** Its address for people. */
    place: string
    mark: Mark | undefined
    /** One of its files, and the number of sampled files that it has. */
    anyFile: string | undefined
    sampled: number
  }
  keys: {
    folder: string
    /** The keys are read from files that environment variables name, not from the folder. */
    areSecrets: boolean
    /** The installation that the folder is marked for. */
    mark: string | undefined
    inUse: Record<KeyName, PublicHalf | undefined>
    fileOf(name: KeyName): string
  }
}

export interface Problem {
  about: 'installation' | KeyName
  line: string
}

const kinds: readonly KeyName[] = ['signature', 'audit']
const nameOf = { signature: 'signing key', audit: 'key of the audit trail' } as const
const variableOf = { signature: 'SIGNING_KEY_FILE', audit: 'AUDIT_KEY_FILE' } as const

/**
 * The reasons why a process must not use these files and keys with this database; none if all three belong to one installation, or can
 * become one. `areKeysLost`: an operator has decided to replace the keys.
 */
export function problemsOf(records: Records, around: Surroundings, { areKeysLost = false } = {}): Problem[] {
  const ofInstallation = [storeProblem(records, around), folderProblem(records, around)]
    .filter(line => line !== undefined)
    .map(line => ({ about: 'installation' as const, line }))
  return [...ofInstallation, ...(areKeysLost ? [] : keyProblems(records, around))]
}

function storeProblem(
  { installation, files }: Records,
  { store: { place, mark, anyFile, sampled }, keys }: Surroundings,
): string | undefined {
  const shared = 'set UPLOAD_DIR, or STORAGE_TYPE and its variables, to the folder or bucket that all hosts share'
  if (installation) {
    if (!mark)
      return `${place} is not the store of this installation (${installation}): there is no installation.json in it; ${shared}`
    if (mark.installation === installation) return undefined
    return `${place} is the store of another installation (${mark.installation}), and this database is of ${installation}: ${shared}`
  }
  // A store that was marked with our key comes from a first start of ours that was interrupted.
  const isOurs = mark && keys.inUse.signature && mark.signing_key === keys.inUse.signature.key_id
  if (mark && !isOurs)
    return `${place} is the store of another installation (${mark.installation}): use a folder or bucket of its own, or set DATABASE_URL to the database of that installation`
  if (files.length > 0 && sampled === 0)
    return `${place} has none of ${files.length} files that records of this database name: ${shared}`
  if (files.length === 0 && anyFile)
    return `${place} has files, such as ${anyFile}, and this database names none: use an empty folder or bucket, or set DATABASE_URL to the database that they belong to`
  return undefined
}

function folderProblem({ installation }: Records, { store, keys }: Surroundings): string | undefined {
  const expected = installation ?? store.mark?.installation
  if (keys.areSecrets || !keys.mark || !expected || keys.mark === expected) return undefined
  return `${keys.folder} has the keys of another installation (${keys.mark}), and this is ${expected}: copy the folder from a host of this installation`
}

function keyProblems({ keys: known }: Records, { keys }: Surroundings): Problem[] {
  const lost = 'if no copy is left, run: qms installation new-keys'
  const missing = kinds.filter(name => known[name].length > 0 && !keys.inUse[name])
  const unknown = kinds.filter(name => {
    const here = keys.inUse[name]
    return here && known[name].length > 0 && !known[name].some(({ key_id }) => key_id === here.key_id)
  })
  return [
    ...missing.slice(0, 1).map(about => ({
      about,
      line: `${keys.folder} has no ${missing.map(name => nameOf[name]).join(' and no ')}, and this installation has been using one: copy DATA_DIR/keys from a host of it, or set SIGNING_KEY_FILE and AUDIT_KEY_FILE; ${lost}`,
    })),
    ...unknown.map(about => ({
      about,
      line: `the ${nameOf[about]} ${keys.inUse[about]!.key_id} (${keys.areSecrets ? variableOf[about] : keys.fileOf(about)}) is not of this installation, whose newest is ${known[about].at(-1)!.key_id}: put that one in its place; ${lost}`,
    })),
  ]
}

/** Kinds of keys for which the database knows a newer key than the one in use: a rotation has not reached this host. */
export const outdatedKeys = ({ keys: known }: Records, inUse: Record<KeyName, PublicHalf | undefined>): KeyName[] =>
  kinds.filter(name => inUse[name] && known[name].length > 0 && known[name].at(-1)!.key_id !== inUse[name]!.key_id)

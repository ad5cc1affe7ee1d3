import type { Message } from '#kernel/message.ts'
import type { PublicHalf } from '#modules/audit'
import type { KeyName } from '#platform/crypto/signing-key.ts'
import type { Mark } from '#platform/storage/mark.ts'
import { lines } from './messages.ts'

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
  line: Message
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
): Message | undefined {
  if (installation) {
    if (!mark) return lines.store_unmarked({ place, installation })
    if (mark.installation === installation) return undefined
    return lines.store_of_another({ place, found: mark.installation, installation })
  }
  // A store that was marked with our key comes from a first start of ours that was interrupted.
  const isOurs = mark && keys.inUse.signature && mark.signing_key === keys.inUse.signature.key_id
  if (mark && !isOurs) return lines.store_in_use({ place, found: mark.installation })
  if (files.length > 0 && sampled === 0) return lines.store_without_files({ place, files: files.length })
  if (files.length === 0 && anyFile) return lines.store_with_files({ place, file: anyFile })
  return undefined
}

function folderProblem({ installation }: Records, { store, keys }: Surroundings): Message | undefined {
  const expected = installation ?? store.mark?.installation
  if (keys.areSecrets || !keys.mark || !expected || keys.mark === expected) return undefined
  return lines.keys_of_another({ folder: keys.folder, found: keys.mark, installation: expected })
}

function keyProblems({ keys: known }: Records, { keys }: Surroundings): Problem[] {
  const missing = kinds.filter(name => known[name].length > 0 && !keys.inUse[name])
  const unknown = kinds.filter(name => {
    const here = keys.inUse[name]
    return here && known[name].length > 0 && !known[name].some(({ key_id }) => key_id === here.key_id)
  })
  return [
    ...missing.slice(0, 1).map(about => ({
      about,
      line: lines.keys_missing({ folder: keys.folder, keys: missing.map(name => nameOf[name]) }),
    })),
    ...unknown.map(about => ({
      about,
      line: lines.key_unknown({
        kind: nameOf[about],
        key: keys.inUse[about]!.key_id,
        from: keys.areSecrets ? variableOf[about] : keys.fileOf(about),
        newest: known[about].at(-1)!.key_id,
      }),
    })),
  ]
}

/** Kinds of keys for which the database knows a newer key than the one in use: a rotation has not reached this host. */
export const outdatedKeys = ({ keys: known }: Records, inUse: Record<KeyName, PublicHalf | undefined>): KeyName[] =>
  kinds.filter(name => inUse[name] && known[name].length > 0 && known[name].at(-1)!.key_id !== inUse[name]!.key_id)

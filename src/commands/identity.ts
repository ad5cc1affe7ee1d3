import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertAuditKey } from '#modules/audit'
import {
  insertInstallation,
  lockInstallation,
  noRecords,
  outdatedKeys,
  type Problem,
  problemsOf,
  type Records,
  readInstallation,
  readRecords,
  type Surroundings,
} from '#modules/installation'
import { insertSigningKey } from '#modules/signatures'
import type { Config } from '#platform/config.ts'
import {
  findKeys,
  type KeyName,
  type KeyPlace,
  keyFileOf,
  openSigningKey,
  type SigningKey,
} from '#platform/crypto/signing-key.ts'
import type { Database } from '#platform/db/database.ts'
import { makeFolder, missing, writeOnce } from '#platform/files/disk.ts'
import type { Log } from '#platform/log/log.ts'
import { markText, parseMark, readMark } from '#platform/storage/mark.ts'
import { placeOf } from '#platform/storage/open.ts'
import { type FileStorage, isCheck, KeyTaken, markName } from '#platform/storage/storage.ts'
import { Refusal } from './command.ts'
import { lines } from './messages.ts'
import { storeFailed } from './storage/copy.ts'

const nobody = { tenantId: null, userId: null }

export interface Keys {
  signingKey: SigningKey
  auditKey: SigningKey
  previousAuditKey: SigningKey | undefined
}

interface Installation {
  config: Config
  database: Database
  storage: FileStorage
  log: Log
}

/**
 * Opens the keys, after checking that database, store and key folder belong to one installation. The first start marks them so. It writes
 * the row of the database last, so that an interrupted start begins again. Throws a `Refusal` with a line for each part of another
 * installation. With `areKeysLost` a missing key is made and an unknown one accepted, and the caller must register them.
 */
export async function openIdentity(installation: Installation, { areKeysLost = false } = {}): Promise<Keys> {
  for (;;) {
    const seen = await look(installation.config, installation.database, installation.storage)
    const problems = problemsOf(seen.records, seen.around, { areKeysLost })
    if (problems.length > 0) throw new Refusal(problems.map(({ line }) => line))
    if (seen.records.installation) return finish(installation, seen, { areKeysLost })
    await begin(installation, seen)
  }
}

/** The problems that a start would refuse, without changing anything. Also works before a first start, without a database. */
export async function examineIdentity(
  config: Config,
  database: Database | undefined,
  storage: FileStorage | undefined,
): Promise<{ problems: Problem[]; records: Records; around: Surroundings; outdated: KeyName[] }> {
  const seen = await look(config, database, storage)
  return {
    ...seen,
    problems: problemsOf(seen.records, seen.around),
    outdated: outdatedKeys(seen.records, seen.around.keys.inUse),
  }
}

type Seen = Awaited<ReturnType<typeof look>>

async function look(config: Config, database: Database | undefined, storage: FileStorage | undefined) {
  const records = database ? await readRecords(database) : noRecords
  const { keys } = config
  const around: Surroundings = {
    store: { place: placeOf(config), ...(await lookAtStore(storage, records).catch(storeFailed(config))) },
    keys: {
      folder: keys.folder,
      areSecrets: keys.files !== undefined,
      mark: keys.files ? undefined : await readFolderMark(keys.folder),
      inUse: {
        signature: await keyInUse(keys, 'signature'),
        audit: await keyInUse(keys, 'audit'),
      },
      fileOf: name => keyFileOf(keys, name),
    },
  }
  return { records, around }
}

async function lookAtStore(
  storage: FileStorage | undefined,
  { installation, files }: Records,
): Promise<Omit<Surroundings['store'], 'place'>> {
  if (!storage) return { mark: undefined, anyFile: undefined, sampled: 0 }
  const mark = await readMark(storage)
  // When the database has an identity, the mark decides and the files need not be inspected.
  if (installation) return { mark, anyFile: undefined, sampled: 0 }
  let sampled = 0
  for (const key of files) if (await storage.stat(key)) sampled += 1
  return { mark, anyFile: files.length === 0 ? await firstFile(storage) : undefined, sampled }
}

async function firstFile(storage: FileStorage): Promise<string | undefined> {
  for await (const { key } of storage.list('')) if (!isCheck(key)) return key
  return undefined
}

export async function readFolderMark(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, markName), 'utf8').catch(missing)
  if (text === undefined) return undefined
  try {
    return parseMark(text).installation
  } catch (error) {
    throw new Refusal(lines.mark_unreadable({ folder, reason: (error as Error).message }))
  }
}

/** An existing mark stays: `openIdentity` has checked it. */
async function markFolder(folder: string, installation: string): Promise<void> {
  await makeFolder(folder)
  await writeOnce(join(folder, markName), markText({ installation }))
}

/** Keys, folder and store first, the database last, so that the next start can continue after any interruption. */
async function begin({ config: { keys }, database, storage }: Installation, { records, around }: Seen) {
  await database.transaction(nobody, 'read write', async tx => {
    await lockInstallation(tx)
    // Another process was faster.
    if (await readInstallation(tx)) return
    const [signingKey, auditKey] = [await findOrMakeKey(keys, 'signature'), await findOrMakeKey(keys, 'audit')]
    const installation = around.store.mark?.installation ?? around.keys.mark ?? randomUUID()
    if (!keys.files) await markFolder(keys.folder, installation)
    if (!around.store.mark) await markStore(storage, installation, signingKey)
    if (records.keys.signature.length === 0) await insertSigningKey(tx, publicHalf(signingKey))
    if (records.keys.audit.length === 0) await insertAuditKey(tx, publicHalf(auditKey))
    await insertInstallation(tx, installation)
  })
}

export const markStore = (storage: FileStorage, installation: string, signingKey?: { key_id: string }) =>
  storage.mark(markText({ installation, signing_key: signingKey?.key_id })).catch(error => {
    if (!(error instanceof KeyTaken)) throw error
    throw new Refusal(lines.store_taken())
  })

async function finish(
  { config: { keys }, database, log }: Installation,
  { records, around: { keys: around } }: Seen,
  { areKeysLost }: { areKeysLost: boolean },
): Promise<Keys> {
  const [signingKey, auditKey] = [await findOrMakeKey(keys, 'signature'), await findOrMakeKey(keys, 'audit')]
  await database.transaction(nobody, 'read write', async tx => {
    if (records.keys.signature.length === 0) await insertSigningKey(tx, publicHalf(signingKey))
    if (records.keys.audit.length === 0) await insertAuditKey(tx, publicHalf(auditKey))
  })
  // Keys that were copied without their mark are registered in the database. A read-only folder stays without a mark.
  if (!keys.files && !around.mark) await markFolder(keys.folder, records.installation!).catch(onlyReadable)
  if (!areKeysLost)
    for (const name of outdatedKeys(records, { signature: signingKey, audit: auditKey }))
      if (!(await findKeys(keys, name)).next) log.warn(outdatedLine(records, name, keyFileOf(keys, name)).text)
  return { signingKey, auditKey, previousAuditKey: (await findKeys(keys, 'audit')).previous }
}

/** For commands that read or fill a store without starting the service. */
export async function refuseOtherStore(storage: FileStorage, place: string, installation: string | undefined) {
  const mark = await readMark(storage)
  if (mark && installation && mark.installation !== installation)
    throw new Refusal(lines.store_foreign({ place, found: mark.installation, expected: installation }))
  return mark
}

export const outdatedLine = ({ keys }: Records, name: KeyName, file: string) =>
  lines.key_outdated({ file, newest: keys[name].at(-1)!.key_id })

function onlyReadable(error: NodeJS.ErrnoException) {
  if (!['EROFS', 'EACCES', 'EPERM'].includes(error.code ?? '')) throw error
}

const keyInUse = async (keys: KeyPlace, name: KeyName) =>
  (
    await findKeys(keys, name).catch((error: Error) => {
      throw new Refusal(lines.failure_reported({ reason: error.message }), { cause: error })
    })
  ).inUse

/** Called after problems were refused, so a missing key may be made. */
const findOrMakeKey = async (keys: KeyPlace, name: KeyName) =>
  (await keyInUse(keys, name)) ?? openSigningKey(keys.folder, name)

const publicHalf = ({ key_id, public_key }: SigningKey) => ({ key_id, public_key })

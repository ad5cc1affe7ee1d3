import { invalid, issueAt } from '#kernel/errors.ts'
import type { PublicHalf } from '../log/keys.ts'
import { type Hash, leafHash } from '../log/merkle.ts'
import { type CheckpointBody, openNote, originOf, verifyNote } from '../log/note.ts'
import { verifierKeys } from '../log/proof.ts'
import { messages } from '../messages.ts'
import { placesPerBlock } from '../places/blocks.ts'
import { StoredCheckpoints } from './checkpoints.ts'
import { RebuiltEpochs } from './epochs.ts'
import { Findings } from './findings.ts'
import {
  countWaiting,
  isListed,
  type LeafToVerify,
  listLeaves,
  listNotRedacted,
  listUnsealed,
  listWronglyPending,
  type Read,
  readStored,
  type StoredLog,
} from './queries.ts'
import { redactionsOf } from './redactions.ts'
import type { Verification } from './schema.ts'
import { readTrust, type Trust } from './trust.ts'

const leavesPerPage = 2000
const maxRows = 100
/** Entries get their places when their transactions have committed, so a long transaction is a little out of order. */
const maxBackwardsMs = 15 * 60_000

interface Verifying {
  read: Read
  signal?: AbortSignal | undefined
  tell?: ((progress: { entries: number; of: number }) => void) | undefined
  /** A checkpoint that the caller kept. */
  kept?: string | undefined
  /** The keys of this process. */
  held: readonly PublicHalf[]
  /** For a caller beside which no service may seal: is told how many entries wait, 100 at most, and waiting is no failure. */
  tellWaiting?: ((entries: number) => void) | undefined
}

/**
 * Rebuilds the log of the tenant from its entries, up to the size at the beginning, and compares everything that is stored with it. This
 * finds every manipulation except a whole log that was forged with its key, which a checkpoint kept outside reveals.
 */
export async function verifyLog(verifying: Verifying): Promise<Verification> {
  const { read, kept, held } = verifying
  const findings = new Findings()
  const log = await read(readStored)
  if (!log) {
    findings.fail('state', 'The log of this tenant is missing')
    return findings.verification(null)
  }
  const trust = await read(tx => readTrust(tx, held))
  const old = kept === undefined ? undefined : await openKept(kept, log.log_id, read)
  const checkpoints = new StoredCheckpoints(read, log, trust, findings)
  const epochs = new RebuiltEpochs(read, log, checkpoints, findings)
  let isOldFound = false
  await rebuild(verifying, log, epochs, findings, async (epoch, size, root) => {
    await checkpoints.compare(epoch, size, root)
    if (old?.origin === originOf(log.log_id, epoch) && old.size === size) isOldFound = old.root.equals(root())
  })
  await checkpoints.end()
  epochs.endEpoch()
  compareState(log, epochs, checkpoints, findings)
  compareKeys(log, trust, findings)
  if (old && !isOldFound)
    findings.fail(
      'kept_checkpoint',
      `The first ${old.size} entries of ${old.origin} differ from the checkpoint that was kept`,
    )
  await compareLists(verifying, log, findings)
  await compareWaiting(verifying, findings)
  return findings.verification(log.newest_note)
}

/** Goes through all places of the log in order, and calls `grown` for each size of each tree. */
async function rebuild(
  { read, signal, tell }: Verifying,
  log: StoredLog,
  epochs: RebuiltEpochs,
  findings: Findings,
  grown: (epoch: number, size: number, root: () => Hash) => Promise<void>,
) {
  const isRedacted = redactionsOf(read)
  const compareTime = timesOf(findings)
  for (let after = 0; after < log.seq; ) {
    signal?.throwIfAborted()
    const page = await read(tx => listLeaves(tx, log.log_id, after, log.seq, leavesPerPage))
    if (page.length === 0) {
      findings.fail('order', `The entries from ${after + 1} to ${log.seq} are missing`)
      break
    }
    for (const row of page) {
      if (row.seq !== after + 1) findings.fail('order', `The entries from ${after + 1} to ${row.seq - 1} are missing`)
      after = row.seq
      const tree = await epochs.treeOf(row)
      const hash = compareEntry(row, findings)
      compareTime(row)
      if (row.leaf !== null && !(await isRedacted(row)))
        findings.fail('redaction', 'A part of this entry is missing, but was not redacted', row)
      tree.add(hash)
      await grown(row.epoch, tree.frontier.size, () => tree.frontier.root)
    }
    await epochs.compareTiles()
    tell?.({ entries: findings.checked.entries, of: log.seq })
  }
}

/** Checks one entry, and answers its hash in the tree. */
function compareEntry(row: LeafToVerify, findings: Findings): Hash {
  const { leaf, leaf_hash, says, gone } = row
  findings.checked.entries += 1
  if (leaf === null || leaf_hash === null) findings.fail('entry', 'This entry is missing', row)
  else if (!says) findings.fail('entry', 'This entry does not match its hashed text', row)
  const hash = leafHash(Buffer.from(leaf ?? ''))
  if (leaf_hash && !hash.equals(leaf_hash)) findings.fail('leaf', 'The stored hash does not match this entry', row)
  if (gone.length > 0 && leaf !== null) findings.checked.redacted += 1
  return hash
}

/** Annex 11, 9: compares the date of each entry with those of the entries ahead of it in its tree. */
function timesOf(findings: Findings) {
  let [latest, of] = [0, 0]
  return ({ epoch, occurred_at, ...row }: LeafToVerify) => {
    if (occurred_at === null) return
    const at = Date.parse(occurred_at)
    if (epoch === of && at < latest - maxBackwardsMs)
      findings.warn(
        'time',
        `This entry is dated ${occurred_at}, and an entry ahead of it ${new Date(latest).toISOString()}: the clock was set back, or the entry was dated back`,
        row,
      )
    latest = epoch === of ? Math.max(latest, at) : at
    of = epoch
  }
}

/** Compares the stored state of sealing. */
function compareState(log: StoredLog, { tree }: RebuiltEpochs, { last }: StoredCheckpoints, findings: Findings) {
  const [size, hashes] = tree?.epoch === log.epoch ? [tree.frontier.size, tree.frontier.hashes] : [0, []]
  if (
    size !== log.size ||
    log.seq !== log.last_leaf ||
    log.seq !== (log.epochs.find(({ epoch }) => epoch === log.epoch)?.first_seq ?? 0) - 1 + size ||
    hashes.length !== log.frontier.length ||
    !hashes.every((hash, n) => hash.equals(log.frontier[n]!))
  )
    findings.fail('state', 'The stored state of sealing does not match the entries')
  if ((log.newest_epoch ?? 0) !== (last?.epoch ?? 0) || (log.newest_size ?? 0) !== (last?.size ?? 0))
    findings.fail('state', 'The newest checkpoint does not cover all sealed entries')
  const { tiles } = findings.checked
  if (log.tiles !== tiles) findings.fail('tile', `There are ${log.tiles} tiles instead of ${tiles}`)
}

function compareKeys(log: StoredLog, trust: Trust, findings: Findings) {
  if (log.newest_note !== null && !trust.isOfService(log.newest_note, originOf(log.log_id, log.newest_epoch!)))
    findings.fail('key', 'The newest checkpoint is not signed by a key of the service')
  for (const key of trust.unknown) findings.fail('key', `The key ${key} is missing or different in the database`)
}

/** Compares the blocks by which lists count. */
async function compareLists({ read, signal }: Verifying, log: StoredLog, findings: Findings) {
  for (let block = 0, last = Math.floor((log.seq - 1) / placesPerBlock); block <= last; block++) {
    signal?.throwIfAborted()
    if (!(await read(tx => isListed(tx, block, { andBehind: block === last }))))
      findings.fail('list', 'From this place on, lists do not match the entries', {
        seq: block * placesPerBlock + 1,
      })
  }
}

/** Finds entries without a place, and redactions that were not carried out. */
async function compareWaiting({ read, tellWaiting }: Verifying, findings: Findings) {
  const [unsealed, waiting] = await read(tx => Promise.all([listUnsealed(tx, maxRows), countWaiting(tx)]))
  findings.waiting = waiting
  tellWaiting?.(unsealed.filter(({ waits }) => waits).length)
  for (const { id, waits } of unsealed.filter(each => !(each.waits && tellWaiting)))
    findings.fail(
      'unsealed',
      `This entry has no place in the log, ${waits ? 'and has waited for more than a minute' : 'and does not wait for one'}`,
      { entry_id: id },
    )
  for (const { entry_id } of await read(tx => listWronglyPending(tx, maxRows)))
    findings.fail('unsealed', 'This entry waits for a place in the log, but has one already or does not exist', {
      entry_id,
    })
  for (const { entry_id } of await read(tx => listNotRedacted(tx, maxRows)))
    findings.fail('redaction', 'This entry is recorded as redacted, but is not', { entry_id })
}

/** An unsigned checkpoint would prove nothing, so it is refused. */
async function openKept(note: string, log_id: string, read: Read): Promise<CheckpointBody> {
  const epoch = Number(/\/e(\d{1,10})$/.exec(openNote(note)?.body.origin ?? '')?.[1])
  const origin = originOf(log_id, epoch)
  const body = epoch > 0 ? verifyNote(note, await read(tx => verifierKeys(tx, origin))) : undefined
  if (body?.origin === origin) return body
  throw invalid(issueAt(['query', 'checkpoint'], messages.audit_checkpoint_not_signed()))
}

import { Readable } from 'node:stream'
import type { PrepareContext } from '#action'
import type { Tx } from '#platform/db/database.ts'
import { zipOf } from '#platform/files/zip.ts'
import { keyId, originOf, verifierKey, verifyNote } from '../log/note.ts'
import { inclusionProofs } from '../log/proof.ts'
import { type Checkpoint, latestCheckpoint, listAuditKeys } from '../log/queries.ts'
import { type BundleCheckpoint, bundleFiles, signedManifest } from './bundle-format.ts'
import { epochsIn, redactionsIn } from './queries.ts'
import { leafPages, type Scope } from './scope.ts'

/** The checkpoints and keys against which the entries are verified. */
async function readCheckpoints(tx: Tx, scope: Scope): Promise<BundleCheckpoint[]> {
  const { epochs, epoch: newest, size, log_id, selection } = scope
  const isWhole = isAll(scope)
  const within = new Set(isWhole ? epochs.map(({ epoch }) => epoch) : await epochsIn(tx, selection, epochs))
  const found: BundleCheckpoint[] = []
  for (const { epoch, first_seq } of epochs) {
    if (epoch !== newest && !within.has(epoch)) continue
    const checkpoint: Checkpoint | undefined = await latestCheckpoint(tx, {
      epoch,
      ...(epoch === newest && { size }),
    })
    if (checkpoint)
      found.push({ epoch, origin: originOf(log_id, epoch), size: checkpoint.size, first_seq, note: checkpoint.note })
  }
  return found
}

/** The keys of the installation that signed the note. */
async function readVerifierKeys(tx: Tx, checkpoints: readonly BundleCheckpoint[]): Promise<string[]> {
  const keys = await listAuditKeys(tx)
  return checkpoints.flatMap(({ origin, note }) =>
    keys
      .map(({ public_key }) => verifierKey(origin, Buffer.from(public_key, 'base64')))
      .filter(vkey => verifyNote(note, [vkey]) !== undefined),
  )
}

const isAll = ({ selection, filter }: Scope) =>
  selection.filter === undefined && filter.seq_from === undefined && filter.seq_to === undefined

/** Prepares a zip that can be verified without the service, and answers a function that opens it. */
export async function bundleFile(
  context: Pick<PrepareContext, 'actor' | 'services' | 'read'>,
  scope: Scope,
): Promise<() => Promise<Readable>> {
  const { actor, services, read } = context
  const checkpoints = await read(tx => readCheckpoints(tx, scope))
  const vkeys = await read(tx => readVerifierKeys(tx, checkpoints))
  const sizes = new Map(checkpoints.map(({ epoch, size }) => [epoch, size]))
  const now = services.clock.now()
  const { auditKey } = services
  const files = bundleFiles({
    tenant: { id: actor.tenantId, name: scope.tenant },
    log_id: scope.log_id,
    filter: isAll(scope) ? null : scope.filter,
    generated_at: now.toISOString(),
    generated_by: actor.username,
    checkpoints,
    vkeys,
    sign: text =>
      signedManifest(text, scope.origin, keyId(scope.origin, Buffer.from(auditKey.public_key, 'base64')), auditKey),
    entries: () => leafPages(context, scope),
    async *redactions() {
      yield await read(tx => redactionsIn(tx, scope.selection))
    },
    ...(!isAll(scope) && { proofs: entries => read(tx => inclusionProofs(tx, sizes, entries)) }),
  })
  return async () =>
    zipOf(
      files.map(({ name, open }) => ({ name, open: () => Readable.from(open()) })),
      now,
    )
}

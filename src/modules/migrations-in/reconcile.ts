// The comparison after a load: every record is read back and compared with its row, and every file is hashed.
import { createHash } from 'node:crypto'
import { listHolders, readSettings } from '#modules/accounts'
import { steppedJob } from '#modules/jobs'
import { hashOf, MissingFile } from '#platform/storage/storage.ts'
import type { BatchInput } from './check.ts'
import { factsOf, sheetsOf } from './facts.ts'
import {
  addDifference,
  findBatch,
  listFilesAfter,
  listRowsToWork,
  lockBatch,
  readComparison,
  readFoundFiles,
  storeDifferences,
  storeFound,
  updateBatch,
} from './queries.ts'

const rowsPerStep = 100
/** Files are read within the transaction of the step, which must not last long. */
const filesPerStep = 20
const bytesPerStep = 32 * 1024 * 1024

interface State {
  phase: 'rows' | 'files'
  sheet: number
  after: number
}

export const reconcileJob = steppedJob<BatchInput, State>({
  name: 'migration.reconcile',
  async step(context, { input: { batch_id }, state: { phase = 'rows', sheet: at = 0, after = 0 } }) {
    const { tx, services, record } = context
    const batch = (await findBatch(tx, batch_id))!
    if (batch.status !== 'reconciling') return { state: { phase, sheet: at, after }, done: 0, skipped: 0, isOver: true }
    const now = services.clock.now()

    if (phase === 'rows') {
      const sheet = sheetsOf(batch)[at]
      if (!sheet) return { state: { phase: 'files', sheet: at, after: 0 }, done: 0, skipped: 0, isOver: false }
      const rows = await listRowsToWork(tx, batch.id, sheet.name, { after, limit: rowsPerStep })
      if (rows.length > 0) {
        const { time_zone } = await readSettings(tx)
        const differences = await sheet.compare(tx, rows, factsOf(tx, batch, { now, time_zone }))
        await storeDifferences(
          tx,
          rows.map(({ id }, index) => ({ id, differences: differences[index]! })),
        )
      }
      const isMore = rows.length === rowsPerStep
      const next = isMore ? { phase, sheet: at, after: rows.at(-1)!.line } : { phase, sheet: at + 1, after: 0 }
      return { state: next, done: rows.length, skipped: 0, isOver: false }
    }

    const files = await listFilesAfter(tx, batch.id, after, filesPerStep)
    let bytes = 0
    let last = after
    for (const { id, path, key, sha256, size, row_id } of files) {
      if (bytes > 0 && bytes + size > bytesPerStep) break
      bytes += size
      last = id
      const found = await hashOf(services.storage, key).catch(error => {
        if (error instanceof MissingFile) return null
        throw error
      })
      await storeFound(tx, id, found)
      if (found !== sha256 && row_id !== null)
        await addDifference(tx, row_id, { column: path, row: sha256, record: found })
    }
    if (files.length > 0) return { state: { phase, sheet: at, after: last }, done: 0, skipped: 0, isOver: false }

    await lockBatch(tx, batch.id)
    const [{ sha256, ...compared }, found] = await Promise.all([
      readComparison(tx, batch.id),
      readFoundFiles(tx, batch.id),
    ])
    const reconciliation = {
      ...compared,
      ...found,
      // With the files, so that a release signs both.
      sha256: createHash('sha256').update(`${sha256} ${found.files} ${found.damaged_files}`).digest('hex'),
      at: now.toISOString(),
    }
    const { revision } = await updateBatch(tx, batch.id, { status: 'loaded', reconciliation })
    const accepters = await listHolders(tx, 'migration.accept', 'migration.read')
    record('migration_batch.loaded', batch.id, {
      number: batch.number,
      before: { status: batch.status },
      after: { status: 'loaded', title: batch.title, ...reconciliation, revision },
      notify: [...new Set([batch.started_by.id, ...accepters])],
    })
    return { state: { phase, sheet: at, after: last }, done: 0, skipped: 0, isOver: true }
  },
})

import type { Answer } from '../../api/client.ts'
import { canTake } from '../../records/allowed.ts'
import { type BatchStatus, type RowStatus, type StepName, stepNames } from './names.ts'

export type Batch = Answer<'GET /api/migrations/{id}'>
export type Sheet = Batch['sheets'][number]
export type Row = Answer<'GET /api/migrations/{id}/rows'>['items'][number]
type Facts = Pick<Batch, 'status' | 'rows' | 'counts' | 'samples' | 'you'> & {
  sheets: readonly Pick<Sheet, 'missing'>[]
}

/** The look of a status that other records have as well. */
export const lookOfBatch: Record<BatchStatus, string> = {
  staging: 'draft',
  checking: 'in_progress',
  checked: 'open',
  rehearsing: 'in_progress',
  rehearsed: 'pending_approval',
  accepted: 'in_progress',
  loading: 'in_progress',
  failed: 'failed',
  reconciling: 'in_progress',
  loaded: 'pending_approval',
  released: 'done',
  discarded: 'cancelled',
}
export const lookOfRow: Record<RowStatus, string> = {
  new: 'draft',
  ok: 'done',
  warning: 'expired',
  error: 'failed',
  loaded: 'done',
  verified: 'done',
  differs: 'overdue',
}

/** Nothing of it is a record yet. */
export const isOpen = ({ status }: Pick<Batch, 'status'>) =>
  ['staging', 'checking', 'checked', 'rehearsing', 'rehearsed'].includes(status)

const isChecked = ({ status, counts }: Pick<Batch, 'status' | 'counts'>) =>
  !['staging', 'checking', 'discarded'].includes(status) && counts.error === 0
const isAccepted = ({ status }: Pick<Batch, 'status'>) =>
  ['accepted', 'loading', 'failed', 'reconciling', 'loaded', 'released'].includes(status)
const isRehearsed = (batch: Pick<Batch, 'status' | 'counts'>) =>
  (batch.status === 'rehearsed' && batch.counts.error === 0) || isAccepted(batch)

export function doneSteps(batch: Facts): Record<StepName, boolean> {
  const { status, rows, sheets, samples } = batch
  return {
    describe: true,
    files: rows > 0,
    columns: rows > 0 && sheets.every(({ missing }) => missing.length === 0),
    check: isChecked(batch) || isAccepted(batch),
    rehearse: isRehearsed(batch),
    sample: samples.proposed > 0 && samples.done >= samples.proposed && samples.differ === 0,
    accept: ['reconciling', 'loaded', 'released'].includes(status),
    release: status === 'released',
  }
}

const stepOfStatus: Partial<Record<BatchStatus, StepName>> = {
  checking: 'check',
  rehearsing: 'rehearse',
  accepted: 'accept',
  loading: 'accept',
  failed: 'accept',
  reconciling: 'release',
  loaded: 'release',
  released: 'release',
  discarded: 'check',
}

/** Where somebody goes on who comes back. Who may compare samples does that first; for everybody else it is done by another person. */
export function nextStep(batch: Facts): StepName {
  const found = stepOfStatus[batch.status]
  if (found) return found
  const done = doneSteps(batch)
  return stepNames.find(name => !done[name] && (name !== 'sample' || canTake(batch.you, 'sample'))) ?? 'accept'
}

export const isWorking = ({ job }: Pick<Batch, 'job'>) => job !== null && ['queued', 'running'].includes(job.status)

import type { ActionContext } from '#action'
import type { Tx } from '#platform/db/database.ts'

/** The version that a training is about. */
export interface TrainedVersion {
  document_id: number
  version_id: number
}

/** `today`: the day in the time zone of the tenant. */
export type TrainedOn = TrainedVersion & { today: string }

/** How many of the people who are assigned to a version have completed its training. */
export interface TrainingProgress {
  assigned: number
  completed: number
  /** False while a job still assigns people: of many, the last are assigned some moments after the first. */
  is_assigned: boolean
}

export type Release = 'approved' | 'effective' | 'replaced' | 'ended'

/** The part of the training module that documents need. Documents decide which gate they have. */
export interface TrainingGate {
  /** Gate `before_effective`. */
  progress(tx: Tx, version: TrainedOn): Promise<TrainingProgress>
  /** Gate `before_effective`: somebody is assigned the document, or is as soon as a version is approved. */
  hasReaders(tx: Tx, documentId: number): Promise<boolean>
  /** Gate `before_access`: true if this person may have the file, else the number of the training to ask for, if there is one. */
  mayRead(tx: Tx, userId: number | null, version: TrainedOn): Promise<true | { training: string | null }>
  /** Gate `before_sign` (21 CFR 11.10(i)): the people among these without a valid training, with the names of the programs they lack. */
  lacking(
    tx: Tx,
    at: { today: string; user_ids: readonly number[]; program_ids: readonly number[] },
  ): Promise<ReadonlyMap<number, readonly string[]>>
  /**
   * Called in the transaction that changes a version, so that assignments are made, moved and cancelled with it. `replaced`: by a newer
   * file, before it was effective; `ended`: cancelled or made obsolete.
   */
  released(context: ActionContext<unknown>, version: TrainedVersion, as: Release): Promise<void>
}

declare module '#action/definitions.ts' {
  interface Services {
    training: TrainingGate
  }
}

import type { Static, TSchema } from 'typebox'
import { type Action, type ActionContext, command, type Input, type Parts, type PrepareContext } from '#action'
import type { Tx } from '#platform/db/database.ts'

/** Which version the training is about. */
export interface TrainedVersion {
  document_id: number
  version_id: number
}

/** On which day, where the tenant is. */
export type TrainedOn = TrainedVersion & { today: string }

/** How far the people have come to whom a version is assigned. */
export interface TrainingProgress {
  assigned: number
  completed: number
  /** Whether all whose it is have it: of many people, the last are assigned some moments after the first. */
  is_assigned: boolean
}

type Release = 'approved' | 'effective' | 'replaced' | 'ended'

/** What training knows, and documents ask: which gate a document has is theirs. The program's composition hands it in. */
export interface TrainingGate {
  /** Gate `before_effective`. */
  progress(tx: Tx, version: TrainedOn): Promise<TrainingProgress>
  /** Gate `before_access`: true if this person may have the file, else the number of the training to ask for, if there is one. */
  mayRead(tx: Tx, userId: number | null, version: TrainedOn): Promise<true | { training: string | null }>
  /** Gate `before_access`, told when the file is given: whoever reads it as a training has begun that. */
  opened(context: ActionContext<unknown>, version: TrainedVersion): Promise<void>
  /**
   * Gate `before_sign` (21 CFR 11.10(i)): of these people those who are not validly trained in each of the programs, with the
   * programs that they lack, as sentences call them.
   */
  lacking(
    tx: Tx,
    at: { today: string; user_ids: readonly number[]; program_ids: readonly number[] },
  ): Promise<ReadonlyMap<number, readonly string[]>>
  /**
   * Told within the transaction in which something of it happens to a version: assignments are made, moved and cancelled there.
   * `replaced`: by a newer file, before it was effective; `ended`: given up, or taken out of use.
   */
  released(context: ActionContext<unknown>, version: TrainedVersion, as: Release): Promise<void>
}

export type GatedContext<Prepared = unknown> = ActionContext<Prepared> & { training: TrainingGate }
export type GatedPrepare = PrepareContext & { training: TrainingGate }

type Definition<P extends Parts, R extends TSchema, Prepared> = Omit<
  Action<P, R, Prepared>,
  'kind' | 'prepare' | 'run'
> & {
  prepare?: (context: GatedPrepare, input: Input<P>) => Promise<Prepared>
  run: (context: GatedContext<Prepared>, input: Input<P>) => Promise<Static<R>>
}

/** A command that asks the training gate, which it is given where the routes are made. */
export const gatedCommand =
  <const P extends Parts, R extends TSchema, Prepared = undefined>({
    prepare,
    run,
    ...rest
  }: Definition<P, R, Prepared>) =>
  (training: TrainingGate): Action<P, R, Prepared> =>
    command<P, R, Prepared>({
      ...rest,
      ...(prepare && { prepare: (context, input) => prepare({ ...context, training }, input) }),
      run: (context, input) => run({ ...context, training }, input),
    })

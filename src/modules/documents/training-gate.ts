import type { Static, TSchema } from 'typebox'
import {
  type Action,
  type ActionContext,
  type Actor,
  command,
  type Input,
  type Parts,
  type PrepareContext,
} from '#action'
import type { Tx } from '#platform/db/database.ts'

/** Which version the training is about. */
export interface TrainedVersion {
  document_id: number
  version_id: number
}

/** What of training keeps a document back is another module's to know; the program's composition hands it in. */
export interface TrainingGate {
  /** Gate `before_effective`: whether enough of the people who were assigned to it have completed it. */
  isComplete(tx: Tx, version: TrainedVersion): Promise<boolean>
  /** Gate `before_access`: whether this person may have the file. */
  mayRead(tx: Tx, actor: Actor, version: TrainedVersion): Promise<boolean>
  /** 21 CFR 11.10(i): whether this person may decide about the version, or the sentence that says why not. */
  maySign(tx: Tx, actor: Actor, version: TrainedVersion): Promise<true | string>
  /** Told within the transaction in which a version is approved, and in which it becomes effective: assignments are made there. */
  released(context: ActionContext<unknown>, version: TrainedVersion, as: 'approved' | 'effective'): Promise<void>
}

/** While there is no training, it keeps nothing back. */
export const noTraining: TrainingGate = {
  isComplete: async () => true,
  mayRead: async () => true,
  maySign: async () => true,
  released: async () => {},
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

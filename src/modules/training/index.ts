import type { ActionContext } from '#action'
import type { ClockTask } from '#action/clock-task.ts'
import type { Route } from '#http'
import { noTraining, type TrainingGate } from '#modules/documents'

export { trainingMachine } from './rules.ts'
export { signedTraining } from './subject.ts'

/** What training keeps back of documents and signing. */
export const trainingGate: TrainingGate = noTraining

/** What happens of training by itself when its time has come. */
export const clockTasks: ClockTask[] = []

/** Told in the transaction in which people become members of a group: what is assigned to the group reaches them. */
export const joinedGroup = async (_context: ActionContext<unknown>, _group_id: number, _user_ids: number[]) => {}

export const routes: Route[] = []

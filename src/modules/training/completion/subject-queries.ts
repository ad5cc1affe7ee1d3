import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

/** All columns, because the subject picks those that a signature covers by their names. */
export const findSignedAssignment = (tx: Tx, id: number) =>
  tx.selectFrom('training_assignments').selectAll().where('id', '=', id).executeTakeFirst()

export const findSignedProgram = (tx: Tx, id: number) =>
  tx.selectFrom('training_programs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

export const findSignedVersion = (tx: Tx, id: number | null) =>
  tx.selectFrom('document_versions').selectAll().where('id', '=', id).executeTakeFirst()

export const findLatestAttempt = (tx: Tx, assignmentId: number) =>
  tx
    .selectFrom('training_attempts')
    .selectAll()
    .where('assignment_id', '=', assignmentId)
    .orderBy('attempt_number', 'desc')
    .limit(1)
    .executeTakeFirst()

export const findAnsweredQuiz = (tx: Tx, id: number) =>
  tx.selectFrom('training_quizzes').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** A condition: the signature `s` belongs to a training of this person. */
export const isOfOwnTraining = (userId: number | null): RawBuilder<SqlBool> =>
  sql`s.training_assignment_id in (select id from training_assignments where user_id = ${userId})`

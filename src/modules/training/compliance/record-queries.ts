import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import { verificationCode } from '#modules/signatures'
import { digest } from '#platform/crypto/canonical.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, endOf, isoMoment, sentMoment, startOf } from '#platform/db/expressions.ts'
import { assignments, validlyCompleted } from '../assignments/queries.ts'
import type { RecordEntry, RecordFilter, RecordSignature } from './record-schema.ts'

export const recordSorts = ['assigned_at', 'completed_at', 'due_date', 'number', 'status'] as const
type RecordSort = Sort<(typeof recordSorts)[number]>

const sortColumns = {
  assigned_at: 'a.assigned_at',
  completed_at: 'a.completed_at',
  due_date: 'a.due_date',
  number: 'p.number',
  status: 'a.status',
} as const

export const findTrainee = (tx: Tx, userId: number) =>
  tx
    .selectFrom('users as u')
    .innerJoin('roles as r', 'r.id', 'u.role_id')
    .select(['u.id', 'u.username', 'u.full_name', 'u.is_active', 'r.name as role'])
    .where('u.id', '=', userId)
    .where('u.kind', '=', 'person')
    .executeTakeFirst()

const matching = (
  userId: number,
  { status, training_id, is_valid, date_from, date_to, assigned_by_then, assignment_id }: RecordFilter,
  today: string,
): RawBuilder<SqlBool> =>
  sql`${sql.join(
    [
      sql`a.user_id = ${userId}`,
      ...(assignment_id ? [sql`a.id = ${assignment_id}`] : []),
      ...(status ? [sql`a.status = ${status}`] : []),
      ...(training_id ? [sql`a.program_id = ${training_id}`] : []),
      ...(is_valid === undefined ? [] : [sql`${validlyCompleted(today)} = ${is_valid}`]),
      ...(date_from ? [sql`a.assigned_at >= ${startOf(date_from)}`] : []),
      ...(date_to ? [sql`a.assigned_at < ${endOf(date_to)}`] : []),
      ...(assigned_by_then
        ? [
            sql`exists (select from audit_entries e where e.resource_type = 'training_assignment' and e.resource_id = a.id
              and e.action = 'training_assignment.assigned' and e.occurred_at <= ${assigned_by_then})`,
          ]
        : []),
    ],
    sql` and `,
  )}`

type StoredSignature = Omit<RecordSignature, 'verification_code'> & { digest: string }

const signatureAs = (column: 'a.signature_id' | 'a.verification_signature_id') =>
  sql<StoredSignature | null>`(select jsonb_build_object('id', s.id, 'digest', s.digest,
      'signer', jsonb_build_object('username', s.signer_username, 'full_name', s.signer_full_name),
      'meaning', s.signature_type, 'intent', s.intent, 'signed_at', ${sentMoment('s.signed_at')},
      'is_void', exists (select from signature_voids where signature_id = s.id))
    from signatures s where s.id = ${sql.ref(column)})`

const shown = (signature: StoredSignature | null): RecordSignature | null => {
  if (!signature) return null
  const { digest, ...rest } = signature
  return { ...rest, verification_code: verificationCode(digest) }
}

export async function listRecordEntries(
  tx: Tx,
  userId: number,
  filter: RecordFilter,
  today: string,
  { field, direction }: RecordSort,
  { limit, offset }: { limit: number; offset: number },
): Promise<RecordEntry[]> {
  const rows = await assignments(tx, today)
    .select([
      signatureAs('a.signature_id').as('given'),
      signatureAs('a.verification_signature_id').as('verified'),
      sql<
        RecordEntry['quiz_attempts']
      >`coalesce((select jsonb_agg(jsonb_build_object('attempt_number', t.attempt_number,
          'score', t.score, 'passed', t.passed, 'quiz_version', q.version, 'submitted_at', ${isoMoment('t.submitted_at')})
          order by t.attempt_number)
        from training_attempts t join training_quizzes q on q.id = t.quiz_id where t.assignment_id = a.id), '[]')`.as(
        'quiz_attempts',
      ),
    ])
    .where(matching(userId, filter, today))
    .orderBy(sortColumns[field], direction)
    .orderBy('a.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(({ given, verified, ...entry }) => ({
    ...entry,
    signature: shown(given),
    verification_signature: shown(verified),
  }))
}

export const countRecordEntries = (tx: Tx, userId: number, filter: RecordFilter, today: string): Promise<number> =>
  countRows(
    tx
      .selectFrom('training_assignments as a')
      .innerJoin('training_programs as p', 'p.id', 'a.program_id')
      .where(matching(userId, filter, today)),
  )

/** Assignments of a version that by then a later one required to be read again. */
export async function listOutdated(tx: Tx, ids: readonly number[], at: string): Promise<Set<number>> {
  const rows = await tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .innerJoin('document_versions as was', 'was.id', 'a.version_id')
    .select('a.id')
    .where('a.id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('p.type', '=', 'read_and_understand')
    .where(
      sql<boolean>`exists (select from document_versions later where later.document_id = was.document_id
        and later.effective_at <= ${at} and later.training_impact = 'reassign_all'
        and (later.major, later.minor) > (was.major, was.minor))`,
    )
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The signatures among these that were void by then. */
export async function listVoided(tx: Tx, ids: readonly number[], at: string): Promise<Set<number>> {
  const rows = await tx
    .selectFrom('signature_voids')
    .select('signature_id')
    .where('signature_id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('voided_at', '<=', at)
    .execute()
  return new Set(rows.map(({ signature_id }) => signature_id))
}

/** A value that is another one after each change of the assignments of a person, or of one of them. */
export async function findMark(tx: Tx, userId: number, assignmentId: number | undefined): Promise<string> {
  const { mark } = await tx
    .selectFrom('training_assignments')
    .select(sql<string>`concat_ws(' ', count(*), max(id), sum(revision))`.as('mark'))
    .where('user_id', '=', userId)
    .$if(assignmentId !== undefined, query => query.where('id', '=', assignmentId!))
    .executeTakeFirstOrThrow()
  return mark
}

/** The answers of each attempt, with a hash of the questions: their correct options are for authors alone. */
export async function listAttempts(tx: Tx, assignmentIds: readonly number[]) {
  const rows = await tx
    .selectFrom('training_attempts as t')
    .innerJoin('training_quizzes as q', 'q.id', 't.quiz_id')
    .select(['t.assignment_id', 't.attempt_number', 't.answers', 't.score', 't.passed', 't.submitted_at'])
    .select(['q.version as quiz_version', 'q.passing_score', 'q.questions'])
    .where('t.assignment_id', '=', sql<number>`any(${assignmentIds}::bigint[])`)
    .orderBy('t.id')
    .execute()
  return rows.map(({ questions, ...attempt }) => ({ ...attempt, questions_sha256: digest(questions) }))
}

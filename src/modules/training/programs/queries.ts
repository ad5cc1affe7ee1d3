import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '#action'
import type { Sort } from '#kernel/paging.ts'
import { readable } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, endOf, optimizationFence, personOf, revised, startOf } from '#platform/db/expressions.ts'
import { type NamedRecord, namedRecords, type SoughtName } from '#platform/db/names.ts'
import type { Tables } from '#platform/db/tables.ts'
import { openStates, type ProgramStatus, type TrainingType } from '../rules.ts'
import type { Question } from './quiz-rules.ts'
import type { ProgramFilter, ProgramSummary } from './schema.ts'

export interface ProgramRow {
  id: number
  number: string
  title: string
  type: TrainingType
  status: ProgramStatus
  document_id: number | null
  due_days: number
  valid_months: number | null
  requires_verification: boolean
  requires_opening: boolean
  quiz_version: number | null
  revision: number
}

/**
 * `share` keeps the program unchanged while many assign or complete it at once; `change` is exclusive. Rows are locked in this order, so
 * that transactions cannot deadlock: document, program, assignment.
 */
type ProgramLock = 'share' | 'change'

export const findProgram = (
  tx: Tx,
  id: number,
  { lock }: { lock?: ProgramLock } = {},
): Promise<ProgramRow | undefined> =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number', 'title', 'document_id', 'due_days', 'valid_months', 'requires_verification'])
    .select(['requires_opening', 'quiz_version', 'revision'])
    .select([sql<TrainingType>`type`.as('type'), sql<ProgramStatus>`status`.as('status')])
    .where('id', '=', id)
    .$if(lock === 'share', query => query.forShare())
    .$if(lock === 'change', query => query.forNoKeyUpdate())
    .executeTakeFirst()

/** The active reading of a document. */
export const findReading = (tx: Tx, documentId: number): Promise<{ id: number; number: string } | undefined> =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number'])
    .where('document_id', '=', documentId)
    .where('type', '=', 'read_and_understand')
    .where('status', '=', 'active')
    .executeTakeFirst()

export interface Quiz {
  id: number
  version: number
  questions: Question[]
  passing_score: number
  max_attempts: number
  shuffle: boolean
}

export const findQuiz = (tx: Tx, programId: number, version: number): Promise<Quiz | undefined> =>
  tx
    .selectFrom('training_quizzes')
    .select(['id', 'version', 'passing_score', 'max_attempts', 'shuffle'])
    .select(sql<Question[]>`questions`.as('questions'))
    .where('program_id', '=', programId)
    .where('version', '=', version)
    .executeTakeFirst()

/** The caller holds the program's lock, so that each version number is used once. */
export const insertQuiz = (tx: Tx, programId: number, { questions, ...quiz }: Omit<Quiz, 'id' | 'version'>) =>
  tx
    .insertInto('training_quizzes')
    .values({
      ...quiz,
      questions: JSON.stringify(questions),
      program_id: programId,
      version: sql`(select coalesce(max(version), 0) + 1 from training_quizzes where program_id = ${programId})`,
    })
    .returning('version')
    .executeTakeFirstOrThrow()

export interface ProgramFields {
  title: string
  description: string
  due_days: number
  valid_months: number | null
  requires_verification: boolean
  requires_opening: boolean
}

export const insertProgram = (
  tx: Tx,
  values: ProgramFields & {
    number: string
    type: TrainingType
    document_id: number | null
    quiz_version: number | null
  },
): Promise<{ id: number }> =>
  tx.insertInto('training_programs').values(values).returning('id').executeTakeFirstOrThrow()

/** The caller holds the program's lock. */
export const updateProgram = (
  tx: Tx,
  id: number,
  values: Partial<ProgramFields> & { quiz_version?: number | null; status?: ProgramStatus },
) =>
  tx
    .updateTable('training_programs')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

export const programSorts = ['id', 'number', 'title', 'type', 'status', 'created_at', 'updated_at'] as const
type ProgramSort = Sort<(typeof programSorts)[number]>

export const seesAll = ({ permissions }: Pick<Actor, 'permissions'>) =>
  permissions.has('training.read_all') || permissions.has('training.assign') || permissions.has('training.manage')

/** A program `p` is visible to people who have, or had, an assignment of it. */
const isVisible = (actor: Actor): RawBuilder<SqlBool> =>
  seesAll(actor)
    ? sql`true`
    : sql`exists (select from training_assignments a where a.program_id = p.id and a.user_id = ${actor.userId})`

type Joined = Tables & Record<'p', Tables['training_programs']>

const matching =
  ({ status, type, document_id, date_from, date_to, q }: ProgramFilter, actor: Actor) =>
  (e: ExpressionBuilder<Joined, 'p'>) =>
    e.and([
      isVisible(actor),
      ...(status ? [e('p.status', '=', status)] : []),
      ...(type ? [e('p.type', '=', type)] : []),
      ...(document_id ? [e('p.document_id', '=', document_id)] : []),
      ...(date_from ? [e('p.created_at', '>=', startOf(date_from))] : []),
      ...(date_to ? [e('p.created_at', '<', endOf(date_to))] : []),
      ...(q
        ? [
            e.or([
              e('p.number', 'ilike', contains(q)),
              e('p.title', 'ilike', contains(q)),
              e('p.description', 'ilike', contains(q)),
            ]),
          ]
        : []),
    ])

const programs = (tx: Tx) =>
  tx
    .selectFrom('training_programs as p')
    .select(['p.id', 'p.number', 'p.title', 'p.document_id', 'p.due_days', 'p.valid_months', 'p.requires_verification'])
    .select(['p.requires_opening', 'p.created_at', 'p.updated_at', 'p.revision'])
    .select([
      sql<TrainingType>`p.type`.as('type'),
      sql<ProgramStatus>`p.status`.as('status'),
      sql<
        ProgramSummary['document']
      >`(select jsonb_build_object('id', d.id, 'number', d.number, 'title', v.title, 'version', v.version)
        from documents d left join document_versions v on v.id = d.effective_version_id where d.id = p.document_id)`.as(
        'document',
      ),
      sql<number>`coalesce((select jsonb_array_length(q.questions) from training_quizzes q
        where q.program_id = p.id and q.version = p.quiz_version), 0)`.as('question_count'),
      personOf('p.created_by').as('created_by'),
      personOf('p.updated_by').as('updated_by'),
    ])

export const listPrograms = (
  tx: Tx,
  filter: ProgramFilter,
  actor: Actor,
  { field, direction }: ProgramSort,
  limit: number,
  offset: number,
): Promise<ProgramSummary[]> =>
  programs(tx)
    .where(
      'p.id',
      'in',
      tx
        .selectFrom(
          optimizationFence(
            tx
              .selectFrom('training_programs as p')
              .select(['p.id', sql.ref(`p.${field}`).as('place')])
              .where(matching(filter, actor)),
          ).as('m'),
        )
        .select('m.id')
        .orderBy('m.place', direction)
        .orderBy('m.id', direction)
        .limit(limit)
        .offset(offset),
    )
    .orderBy(`p.${field}`, direction)
    .orderBy('p.id', direction)
    .execute()

export const countPrograms = (tx: Tx, filter: ProgramFilter, actor: Actor) =>
  countRows(tx.selectFrom('training_programs as p').where(matching(filter, actor)))

export const listNamedPrograms = (tx: Tx, actor: Actor, sought: SoughtName, limit: number): Promise<NamedRecord[]> =>
  tx
    .selectFrom(namedRecords('training_program', sought, null))
    .innerJoin('training_programs as p', 'p.id', 'n.record_id')
    .select(['p.id', 'p.number', 'p.title', 'p.status', 'n.place'])
    .where(isVisible(actor))
    .orderBy('n.place')
    .orderBy('p.id', 'desc')
    .limit(limit)
    .execute()

export const findVisibleProgram = (tx: Tx, id: number, actor: Actor) =>
  programs(tx)
    .select(['p.description', 'p.quiz_version'])
    .where('p.id', '=', id)
    .where(isVisible(actor))
    .executeTakeFirst()
export type ShownProgram = NonNullable<Awaited<ReturnType<typeof findVisibleProgram>>>

/** `was_assigned` is true once anybody had an assignment; `open` counts the open ones. */
export const findUse = (tx: Tx, id: number) =>
  tx
    .selectNoFrom([
      sql<boolean>`exists (select from training_assignments where program_id = ${id})`.as('was_assigned'),
      sql<number>`(select count(*) from training_assignments where program_id = ${id} and status = any(${openStates}))`.as(
        'open',
      ),
    ])
    .executeTakeFirstOrThrow()

export const listOpen = async (tx: Tx, id: number, limit: number): Promise<number[]> => {
  const rows = await tx
    .selectFrom('training_assignments')
    .select('id')
    .where('program_id', '=', id)
    .where('status', 'in', openStates)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(row => row.id)
}

/** The document as the actor is shown it; the system may read every document. */
export const findReadable = (
  tx: Tx,
  actor: Actor,
  id: number,
): Promise<{ number: string; title: string } | undefined> =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select(['d.number', 'v.title'])
    .where('d.id', '=', id)
    .$if(actor.userId !== null, query => query.where(readable(actor)))
    .executeTakeFirst()

/** Locks the document before its programs and assignments. */
export const lockOfDocument = (tx: Tx, id: number) =>
  tx.selectFrom('documents').select('id').where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** The first active document type that requires the program of its approvers. */
export const findRequiringType = (tx: Tx, programId: number): Promise<{ name: string } | undefined> =>
  tx
    .selectFrom('document_types')
    .select('name')
    .where(sql<boolean>`${programId} = any(signing_program_ids)`)
    .where('is_active', '=', true)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

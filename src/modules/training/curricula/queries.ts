import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, personOf, revised } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { ProgramStatus } from '../rules.ts'
import type { OrderedPrograms } from './rules.ts'
import type { Curriculum, CurriculumFilter, CurriculumStatus } from './schema.ts'

export const curriculumSorts = ['name', 'id', 'status', 'created_at', 'updated_at'] as const

/** Limits the curricula to those of this person; `people` selects the people of each curriculum. */
export interface CurriculumVisibility {
  userId: number
  people: RawBuilder<{ curriculum_id: number; user_id: number }>
}

type Listed = Tables & Record<'c', Tables['curricula']>

const matching =
  ({ q, status, role, group_id, training_id }: CurriculumFilter, visibility?: CurriculumVisibility) =>
  (e: ExpressionBuilder<Listed, 'c'>) =>
    e.and([
      ...(q ? [e.or([e('c.name', 'ilike', contains(q)), e('c.description', 'ilike', contains(q))])] : []),
      ...(status ? [e('c.status', '=', status)] : []),
      ...(role ? [sql<boolean>`${role} = any (c.role_names)`] : []),
      ...(group_id === undefined
        ? []
        : [sql<boolean>`exists (select from curriculum_groups where curriculum_id = c.id and group_id = ${group_id})`]),
      ...(training_id === undefined
        ? []
        : [
            sql<boolean>`exists (select from curriculum_programs where curriculum_id = c.id and program_id = ${training_id})`,
          ]),
      ...(visibility
        ? [
            sql<boolean>`c.id in (select curriculum_id from ${visibility.people} as people where user_id = ${visibility.userId})`,
          ]
        : []),
    ])

const curricula = (tx: Tx) =>
  tx
    .selectFrom('curricula as c')
    .select(['c.id', 'c.name', 'c.description', 'c.role_names', 'c.created_at', 'c.updated_at', 'c.revision'])
    .select([
      sql<CurriculumStatus>`c.status`.as('status'),
      sql<
        Curriculum['groups']
      >`coalesce((select jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) order by lower(g.name), g.id)
        from curriculum_groups cg join groups g on g.id = cg.group_id where cg.curriculum_id = c.id), '[]')`.as(
        'groups',
      ),
      sql<Curriculum['programs']>`coalesce((select jsonb_agg(jsonb_build_object('training_id', p.id, 'number', p.number,
          'title', p.title, 'status', p.status, 'is_prerequisite', cp.is_prerequisite) order by cp.position)
        from curriculum_programs cp join training_programs p on p.id = cp.program_id where cp.curriculum_id = c.id), '[]')`.as(
        'programs',
      ),
      personOf('c.created_by').as('created_by'),
      personOf('c.updated_by').as('updated_by'),
    ])

export const listCurricula = (
  tx: Tx,
  filter: CurriculumFilter,
  visibility: CurriculumVisibility | undefined,
  { field, direction }: Sort<(typeof curriculumSorts)[number]>,
  limit: number,
  offset: number,
): Promise<Curriculum[]> =>
  curricula(tx)
    .where(matching(filter, visibility))
    .orderBy(`c.${field}`, direction)
    .orderBy('c.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countCurricula = (tx: Tx, filter: CurriculumFilter, visibility: CurriculumVisibility | undefined) =>
  countRows(tx.selectFrom('curricula as c').where(matching(filter, visibility)))

export const findCurriculum = (
  tx: Tx,
  id: number,
  visibility?: CurriculumVisibility,
): Promise<Curriculum | undefined> =>
  curricula(tx).where('c.id', '=', id).where(matching({}, visibility)).executeTakeFirst()

interface CurriculumValues {
  name: string
  description: string
  role_names: string[]
}

export const insertCurriculum = (tx: Tx, values: CurriculumValues & { migration_batch_id: number | null }) =>
  tx
    .insertInto('curricula')
    .values(values)
    .onConflict(on => on.columns(['tenant_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()

export const updateCurriculum = (tx: Tx, id: number, values: CurriculumValues & { status: CurriculumStatus }) =>
  tx
    .updateTable('curricula')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

export const curriculumNameTaken = (tx: Tx, name: string, except: number) =>
  tx.selectFrom('curricula').select('id').where('name', '=', name).where('id', '<>', except).executeTakeFirst()

export const countAll = (tx: Tx) => countRows(tx.selectFrom('curricula'))

export async function replaceGroups(tx: Tx, curriculum_id: number, groupIds: readonly number[]) {
  await tx.deleteFrom('curriculum_groups').where('curriculum_id', '=', curriculum_id).execute()
  if (groupIds.length === 0) return
  await tx
    .insertInto('curriculum_groups')
    .values(groupIds.map(group_id => ({ curriculum_id, group_id })))
    .execute()
}

export async function replacePrograms(tx: Tx, curriculum_id: number, programs: OrderedPrograms['programs']) {
  await tx.deleteFrom('curriculum_programs').where('curriculum_id', '=', curriculum_id).execute()
  if (programs.length === 0) return
  await tx
    .insertInto('curriculum_programs')
    .values(
      programs.map(({ training_id, is_prerequisite }, i) => ({
        curriculum_id,
        program_id: training_id,
        position: i + 1,
        is_prerequisite,
      })),
    )
    .execute()
}

/** Locks the existing groups, so that none is deleted before the transaction ends. */
export const holdGroups = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('groups')
    .select('id')
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .forShare()
    .execute()

/** Locks the existing programs, so that none is archived before the transaction ends. */
export const holdPrograms = (
  tx: Tx,
  ids: readonly number[],
): Promise<{ id: number; number: string; status: ProgramStatus }[]> =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number', sql<ProgramStatus>`status`.as('status')])
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('id')
    .forShare()
    .execute()

/** The orders of all other active curricula. */
export const otherOrders = (tx: Tx, except: number): Promise<OrderedPrograms[]> =>
  tx
    .selectFrom('curricula as c')
    .innerJoin('curriculum_programs as p', 'p.curriculum_id', 'c.id')
    .select([
      'c.name',
      sql<OrderedPrograms['programs']>`jsonb_agg(jsonb_build_object('training_id', p.program_id,
        'is_prerequisite', p.is_prerequisite) order by p.position)`.as('programs'),
    ])
    .where('c.status', '=', 'active')
    .where('c.id', '<>', except)
    .groupBy('c.id')
    .execute()

export const numbersOf = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number'])
    .where('id', '=', sql<number>`any(${ids}::bigint[])`)
    .execute()

import { type ActionContext, type Actor, command, query } from '#action'
import { refuseStale } from '#action/revision.ts'
import { conflict, invalid, invalidField, issueAt, noneOf, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { lockGrants, readRoles } from '#modules/roles'
import type { Tx } from '#platform/db/database.ts'
import { messages } from '../messages.ts'
import { curriculumPeople } from './people-queries.ts'
import {
  type CurriculumVisibility,
  countAll,
  countCurricula,
  curriculumNameTaken,
  curriculumSorts,
  findCurriculum,
  holdGroups,
  holdPrograms,
  insertCurriculum,
  listCurricula,
  numbersOf,
  otherOrders,
  replaceGroups,
  replacePrograms,
  updateCurriculum,
} from './queries.ts'
import { circleOf, type OrderedPrograms } from './rules.ts'
import { Curriculum, CurriculumCreate, CurriculumFilter, CurriculumUpdate } from './schema.ts'

const maxCurricula = 500

/** Everybody sees the curricula that apply to them. */
const visibilityOf = async (tx: Tx, { userId, permissions }: Actor): Promise<CurriculumVisibility | undefined> =>
  permissions.has('training.read_all') || permissions.has('training.manage')
    ? undefined
    : { userId: userId ?? 0, people: await curriculumPeople(tx) }

async function requireCurriculum(tx: Tx, id: number, visibility?: CurriculumVisibility): Promise<Curriculum> {
  const curriculum = await findCurriculum(tx, id, visibility)
  if (!curriculum) throw notFound('Curriculum')
  return curriculum
}

interface Content {
  name: string
  role_names: readonly string[]
  group_ids: readonly number[]
  programs: OrderedPrograms['programs']
}

/** The caller holds `lockGrants`, so no role is deleted and no other order is written that makes a circle with this one. */
async function requireValidContent(tx: Tx, content: Content, { except = 0 } = {}) {
  const { role_names, programs } = content
  const roles = new Set([...(await readRoles(tx)).values()].map(({ name }) => name))
  const ids = programs.map(({ training_id }) => training_id)
  const issues = [
    ...role_names.flatMap((role, i) =>
      roles.has(role) ? [] : [issueAt(['body', 'role_names', i], messages.curriculum_role_unknown({ role }))],
    ),
    ...ids.flatMap((id, i) =>
      ids.indexOf(id) < i
        ? [issueAt(['body', 'programs', i, 'training_id'], messages.curriculum_program_repeated())]
        : [],
    ),
  ]
  if (issues.length > 0) throw invalid(...issues)
  const circle = circleOf([content, ...(await otherOrders(tx, except))])
  if (!circle) return
  const numbers = await numbersOf(
    tx,
    circle.map(({ first }) => first),
  )
  const numberOf = (id: number) => numbers.find(each => each.id === id)?.number ?? `training ${id}`
  throw invalidField(
    'programs',
    messages.curriculum_order_circular({
      before: circle.map(({ first }) => numberOf(first)),
      after: circle.map(({ second }) => numberOf(second)),
      curricula: circle.map(({ curriculum }) => curriculum),
    }),
  )
}

async function requireGroups(tx: Tx, ids: readonly number[]) {
  const there = await holdGroups(tx, ids)
  const missing = ids.filter(id => !there.some(group => group.id === id))
  if (missing.length > 0) throw noneOf('Group', ids, missing)
}

async function requirePrograms(tx: Tx, programs: OrderedPrograms['programs']) {
  const ids = programs.map(({ training_id }) => training_id)
  const there = await holdPrograms(tx, ids)
  const missing = ids.filter(id => !there.some(program => program.id === id))
  if (missing.length > 0) throw noneOf('Training program', ids, missing)
  const numbers = there.filter(({ status }) => status === 'archived').map(({ number }) => number)
  if (numbers.length > 0) throw conflict(messages.curriculum_programs_archived({ numbers }))
}

/** A curriculum as the audit trail shows it. */
const recorded = ({ name, description, status, role_names, groups, programs, revision }: Curriculum) => ({
  ...{ name, description, status, role_names, revision },
  groups: groups.map(group => group.name),
  programs: programs.map(({ number, is_prerequisite }) => ({ number, is_prerequisite })),
})

const ordered = (programs: readonly { training_id: number; is_prerequisite?: boolean }[]) =>
  programs.map(({ training_id, is_prerequisite = false }) => ({ training_id, is_prerequisite }))

const nameTaken = (name: string) => conflict(messages.curriculum_name_taken({ name }))

export const listOfCurricula = query({
  summary: 'List curricula',
  description: 'Your own curricula; all of them with `training.read_all` or `training.manage`.',
  permission: 'training.read_own',
  input: { query: CurriculumFilter },
  response: Page(Curriculum),
  async run({ tx, actor }, { query }) {
    const sort = parseSort(query.sort, curriculumSorts, { field: 'name', direction: 'asc' })
    const visibility = await visibilityOf(tx, actor)
    return pageOf(
      query,
      (limit, offset) => listCurricula(tx, query, visibility, sort, limit, offset),
      () => countCurricula(tx, query, visibility),
    )
  },
})

export const curriculumDetails = query({
  summary: 'Read a curriculum',
  permission: 'training.read_own',
  input: { params: IdParams },
  response: Curriculum,
  run: async ({ tx, actor }, { params }) => requireCurriculum(tx, params.id, await visibilityOf(tx, actor)),
})

export const createCurriculum = command({
  summary: 'Create a curriculum',
  description:
    'The training that people with a role or in a group need, in its order. Missing assignments follow within a minute.',
  permission: 'training.manage',
  input: { body: CurriculumCreate },
  response: Curriculum,
  run: (context, { body }) => addCurriculum(context, body),
})

/** `imported`: of a curriculum that a migration brings in. */
export async function addCurriculum(
  { tx, record }: ActionContext<unknown>,
  { name, description = '', role_names = [], group_ids = [], programs = [] }: CurriculumCreate,
  imported?: { migration_batch_id: number; from: object },
): Promise<Curriculum> {
  await lockGrants(tx)
  const content = { name, role_names, group_ids, programs: ordered(programs) }
  await requireGroups(tx, group_ids)
  await requirePrograms(tx, content.programs)
  await requireValidContent(tx, content)
  if ((await countAll(tx)) >= maxCurricula) throw conflict(messages.curriculum_limit_reached({ maximum: maxCurricula }))
  const migration_batch_id = imported?.migration_batch_id ?? null
  const inserted = await insertCurriculum(tx, { name, description, role_names, migration_batch_id })
  if (!inserted) throw nameTaken(name)
  await replaceGroups(tx, inserted.id, group_ids)
  await replacePrograms(tx, inserted.id, content.programs)
  const curriculum = await requireCurriculum(tx, inserted.id)
  record(imported ? 'curriculum.migrated' : 'curriculum.created', curriculum.id, {
    number: name,
    after: { ...recorded(curriculum), ...imported?.from },
  })
  return curriculum
}

async function lockForWork(context: ActionContext<unknown>, id: number) {
  await lockGrants(context.tx)
  const curriculum = await requireCurriculum(context.tx, id)
  await refuseStale(context, 'curriculum', curriculum)
  return curriculum
}

export const changeCurriculum = command({
  summary: 'Change a curriculum',
  description:
    'Roles, groups and programs replace the former lists. Existing assignments stay; an archived curriculum makes no new ones.',
  permission: 'training.manage',
  input: { params: IdParams, body: CurriculumUpdate },
  response: Curriculum,
  async run(context, { params, body }) {
    const { tx, record } = context
    const before = await lockForWork(context, params.id)
    const { name = before.name, description = before.description, status = before.status, change_reason } = body
    if (before.status !== 'active' && !change_reason)
      throw invalidField(
        'change_reason',
        messages.curriculum_reason_required({ name: before.name, status: before.status }),
      )
    const content: Content = {
      name,
      role_names: body.role_names ?? before.role_names,
      group_ids: body.group_ids ?? before.groups.map(({ id }) => id),
      programs: ordered(body.programs ?? before.programs),
    }
    if (await curriculumNameTaken(tx, name, before.id)) throw nameTaken(name)
    if (body.group_ids) await requireGroups(tx, body.group_ids)
    if (body.programs) await requirePrograms(tx, content.programs)
    if (status === 'active') await requireValidContent(tx, content, { except: before.id })
    if (body.group_ids) await replaceGroups(tx, before.id, content.group_ids)
    if (body.programs) await replacePrograms(tx, before.id, content.programs)
    const role_names = [...content.role_names]
    await updateCurriculum(tx, before.id, { name, description, status, role_names })
    const curriculum = await requireCurriculum(tx, before.id)
    record('curriculum.updated', curriculum.id, {
      number: name,
      before: recorded(before),
      after: recorded(curriculum),
      reason: change_reason ?? null,
    })
    return curriculum
  },
})

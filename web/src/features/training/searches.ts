import { readSearch, textOf, textsOf, writeSearch } from '../../app/addresses.ts'

const isSet = (value: unknown) => value === true || value === 'true'
const positive = (value: unknown): number | undefined => {
  const number = Number(value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}
const positives = (value: unknown) =>
  textsOf(value)
    .map(Number)
    .filter(each => positive(each) !== undefined)
/** Without what is not set, so that an address says no more than it has to. */
const known = <T extends object>(search: T): T =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  ) as T
const oneOf = <T extends string>(value: unknown, all: readonly T[]) => all.find(each => each === value)
const sortIn = (value: unknown, fields: readonly string[], usual: string) => {
  const text = textOf(value)
  const [field, direction] = text.split(':')
  const isSort = fields.includes(field!) && (direction === 'asc' || direction === 'desc')
  return isSort && text !== usual ? text : undefined
}
const pageIn = (value: unknown) => {
  const page = positive(value)
  return page === 1 ? undefined : page
}

export const states = ['assigned', 'in_progress', 'completed', 'failed', 'waived', 'cancelled'] as const
type State = (typeof states)[number]

/** The record of a person, as it stands in the address. */
export interface RecordSearch {
  status?: State | undefined
  /** What counts today. */
  valid?: true | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const recordSort = 'assigned_at:desc'

export const recordSearch = (given: Record<string, unknown>): RecordSearch =>
  known({
    status: oneOf(textOf(given.status), states),
    valid: isSet(given.valid) ? (true as const) : undefined,
    sort: sortIn(given.sort, ['number', 'assigned_at', 'completed_at', 'due_date', 'status'], recordSort),
    page: pageIn(given.page),
  })

/** The list of assignments, as it stands in the address. */
export interface AssignmentsSearch {
  q?: string | undefined
  status?: State[] | undefined
  overdue?: true | undefined
  /** Completed, and a trainer has to verify it. */
  verify?: true | undefined
  program?: number[] | undefined
  person?: number[] | undefined
  group?: number | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const assignmentsSort = 'assigned_at:desc'

export const assignmentsSearch = (given: Record<string, unknown>): AssignmentsSearch =>
  known({
    q: textOf(given.q).trim().slice(0, 200) || undefined,
    status: textsOf(given.status).flatMap(each => oneOf(each, states) ?? []),
    overdue: isSet(given.overdue) ? (true as const) : undefined,
    verify: isSet(given.verify) ? (true as const) : undefined,
    program: positives(given.program),
    person: positives(given.person),
    group: positive(given.group),
    sort: sortIn(
      given.sort,
      ['number', 'title', 'user', 'status', 'due_date', 'assigned_at', 'completed_at', 'id'],
      assignmentsSort,
    ),
    page: pageIn(given.page),
  })

export const filtersOfAssignments = ({
  q,
  status,
  overdue,
  verify,
  program,
  person,
  group,
  sort,
}: AssignmentsSearch) => ({
  q,
  status,
  overdue,
  awaiting_verification: verify,
  training_id: program,
  user_id: person,
  group_id: group,
  sort: sort ?? assignmentsSort,
})

/** The list as a view keeps it: without the page, and always written alike. */
export const viewOfAssignments = (search: AssignmentsSearch) =>
  writeSearch({ ...assignmentsSearch(search as Record<string, unknown>), page: undefined })
export const assignmentsOfView = (view: string) => assignmentsSearch(readSearch(view))

/** The list of programs, as it stands in the address. */
export interface ProgramsSearch {
  q?: string | undefined
  status?: 'active' | 'archived' | undefined
  type?: TrainingType | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const types = ['read_and_understand', 'quiz', 'on_the_job', 'classroom'] as const
type TrainingType = (typeof types)[number]
export const programsSort = 'number:asc'

export const programsSearch = (given: Record<string, unknown>): ProgramsSearch =>
  known({
    q: textOf(given.q).trim().slice(0, 200) || undefined,
    status: oneOf(textOf(given.status), ['active', 'archived']),
    type: oneOf(textOf(given.type), types),
    sort: sortIn(given.sort, ['number', 'title', 'type', 'status', 'created_at', 'updated_at'], programsSort),
    page: pageIn(given.page),
  })

/** The list of curricula, as it stands in the address. */
export interface CurriculaSearch {
  q?: string | undefined
  status?: 'active' | 'archived' | undefined
  sort?: string | undefined
  page?: number | undefined
}
export const curriculaSort = 'name:asc'

export const curriculaSearch = (given: Record<string, unknown>): CurriculaSearch =>
  known({
    q: textOf(given.q).trim().slice(0, 200) || undefined,
    status: oneOf(textOf(given.status), ['active', 'archived']),
    sort: sortIn(given.sort, ['name', 'status', 'created_at', 'updated_at'], curriculaSort),
    page: pageIn(given.page),
  })

/** The matrix, as it stands in the address. */
export interface MatrixSearch {
  q?: string | undefined
  group?: number | undefined
  role?: string | undefined
  program?: number[] | undefined
  /** People with this standing in at least one program. */
  standing?: Standing | undefined
}
export const standings = [
  'trained',
  'open',
  'overdue',
  'awaiting_verification',
  'expired',
  'failed',
  'waived',
  'not_assigned',
] as const
type Standing = (typeof standings)[number]

const most_programs = 200

export const matrixSearch = (given: Record<string, unknown>): MatrixSearch =>
  known({
    q: textOf(given.q).trim().slice(0, 200) || undefined,
    group: positive(given.group),
    role: textOf(given.role).trim().slice(0, 120) || undefined,
    program: positives(given.program).slice(0, most_programs),
    standing: oneOf(textOf(given.standing), standings),
  })

export const matrixFilterOf = ({ q, group, role, program, standing }: MatrixSearch) => ({
  q,
  group_id: group,
  role,
  program_ids: program?.length ? program.join(',') : undefined,
  status: standing,
})

import { sql } from 'kysely'
import { lines } from './messages.ts'
import { demoPassword } from './people.ts'
import { recordsQuiz } from './quizzes.ts'
import type { Part, Visit } from './visit.ts'

/** An act of one person on an assignment. Each increases the revision of the assignment by one. */
type Deed = (visit: Visit, of: { program: number; assignment: number }) => Promise<unknown>

interface Story {
  title: string
  program: object
  /** Title of its document. */
  document?: string
  /** The acts on each trainee's assignment, by user name. */
  trainees: Record<string, Deed[]>
}

const manager = 'marta'

const start =
  (who: string): Deed =>
  (visit, { program }) =>
    visit.as(who).post(`/api/training/${program}/start`, {})
const complete =
  (who: string, body: object = {}): Deed =>
  (visit, { program }) =>
    visit.as(who).post(`/api/training/${program}/complete`, { password: demoPassword, ...body })
const answer = (who: string, keys: Record<string, string[]>) =>
  complete(who, { answers: Object.entries(keys).map(([question, options]) => ({ question, options })) })
const verify =
  (who: string, comment: string): Deed =>
  (visit, { assignment }) =>
    visit.as(who).post(`/api/training/assignments/${assignment}/verify`, { comment, password: demoPassword })
const waive =
  (reason: string): Deed =>
  (visit, { assignment }) =>
    visit.as(manager).post(`/api/training/assignments/${assignment}/waive`, { reason })

const allRight = { mistake: ['strike'], when: ['then'], complete: ['who', 'when'], password: ['false'] }

const stories: readonly Story[] = [
  {
    title: 'Good documentation practice',
    program: {
      type: 'quiz',
      description: 'Four questions about records, for everybody who makes one. It is done again every year.',
      questions: recordsQuiz,
      passing_score: 75,
      max_attempts: 2,
      valid_months: 12,
    },
    trainees: {
      tom: [answer('tom', { ...allRight, when: ['end'], complete: ['who'] }), answer('tom', allRight)],
      emil: [answer('emil', { mistake: ['copy'] }), answer('emil', { mistake: ['erase'], when: ['end'] })],
      lucia: [waive('She wrote the questions')],
    },
  },
  {
    title: 'Read and understand: cleaning of the powder blender PB-02',
    program: { type: 'read_and_understand' },
    document: 'Cleaning of the powder blender PB-02',
    trainees: { tom: [complete('tom')], emil: [start('emil')], lucia: [] },
  },
  {
    title: 'Cleaning of the powder blender PB-02, on the job',
    program: {
      type: 'on_the_job',
      description: 'Two cleanings under supervision. The supervisor verifies what was done.',
      requires_verification: true,
    },
    document: 'Cleaning of the powder blender PB-02',
    trainees: {
      tom: [complete('tom'), verify('jonas', 'Watched on two days: as the procedure says')],
      lucia: [complete('lucia')],
    },
  },
]

const idOf = (visit: Visit, table: 'users' | 'groups' | 'curricula', name: string) =>
  visit.look(async tx => {
    const column = table === 'users' ? 'username' : 'name'
    const { rows } = await sql<{ id: number }>`select id from ${sql.table(table)} where ${sql.ref(column)} = ${name}
      order by id limit 1`.execute(tx)
    return rows[0]?.id
  })

const programOf = (visit: Visit, title: string) =>
  visit.look(tx =>
    tx.selectFrom('training_programs').select('id').where('title', '=', title).orderBy('id').executeTakeFirst(),
  )

/** The first assignment; later ones come from visitors or from the clock. */
const assignmentOf = (visit: Visit, program_id: number, user_id: number) =>
  visit.look(tx =>
    tx
      .selectFrom('training_assignments')
      .select(['id', 'revision'])
      .where('program_id', '=', program_id)
      .where('user_id', '=', user_id)
      .orderBy('id')
      .executeTakeFirst(),
  )

async function write(visit: Visit, { title, program, document }: Story): Promise<{ id: number }> {
  visit.say(lines.demo_record({ kind: 'training program', title }))
  const found = document
    ? await visit.look(tx =>
        tx
          .selectFrom('documents as d')
          .innerJoin('document_versions as v', 'v.id', 'd.effective_version_id')
          .select('d.id')
          .where('v.title', '=', document)
          .executeTakeFirstOrThrow(),
      )
    : undefined
  return visit.as(manager).post('/api/training/', { title, ...program, ...(found && { document_id: found.id }) })
}

/** Training in every state. An assignment that is due today is overdue tomorrow. */
async function programs(visit: Visit) {
  for (const story of stories) {
    const { id: program } = (await programOf(visit, story.title)) ?? (await write(visit, story))
    for (const [username, deeds] of Object.entries(story.trainees)) {
      const user_id = (await idOf(visit, 'users', username))!
      if (!(await assignmentOf(visit, program, user_id))) {
        visit.say(lines.demo_training({ username, title: story.title }))
        const due = deeds.length === 0 ? { due_date: new Date().toISOString().slice(0, 10) } : {}
        await visit.as(manager).post('/api/training/assign', { training_id: program, user_ids: [user_id], ...due })
      }
      const { id: assignment, revision } = (await assignmentOf(visit, program, user_id))!
      // The assignment itself is the first mark.
      for (const deed of deeds.slice(revision - 1)) await deed(visit, { program, assignment })
    }
  }
}

/** The job is learnt once the questions are answered; who joins the group is assigned both. */
async function curriculum(visit: Visit) {
  const name = 'Powder blending'
  if (await idOf(visit, 'curricula', name)) return
  visit.say(lines.demo_record({ kind: 'curriculum', title: name }))
  const group = await groupWithTom(visit, 'Operators of the powder blender')
  const [questions, , onTheJob] = await Promise.all(stories.map(({ title }) => programOf(visit, title)))
  await visit.as(manager).post('/api/training/curricula/', {
    name,
    description: 'What an operator of PB-02 is trained in, and in which order.',
    group_ids: [group],
    programs: [{ training_id: questions!.id, is_prerequisite: true }, { training_id: onTheJob!.id }],
  })
}

async function groupWithTom(visit: Visit, name: string): Promise<number> {
  const admin = visit.as('nora')
  const group =
    (await idOf(visit, 'groups', name)) ??
    (await admin.post<{ id: number }>('/api/groups/', { name, group_type: 'job_function' })).id
  const tom = (await idOf(visit, 'users', 'tom'))!
  const member = await visit.look(tx =>
    tx
      .selectFrom('group_members')
      .select('id')
      .where('group_id', '=', group)
      .where('user_id', '=', tom)
      .executeTakeFirst(),
  )
  if (!member) await admin.post(`/api/groups/${group}/add-member`, { user_id: tom })
  return group
}

export const training: Part = async visit => {
  await programs(visit)
  await curriculum(visit)
}

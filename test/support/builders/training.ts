import { password, type World } from '../world/world.ts'
import { type Json, ok, papers } from './documents.ts'

const single = (text: string, right: string, wrong: string) => ({
  text,
  type: 'single',
  options: [
    { text: right, is_correct: true },
    { text: wrong, is_correct: false },
  ],
  explanation: `It is ${right}`,
})

/** Two questions of which the right options say so, for whoever answers by what is asked. */
export const questions = [
  single('What is put on first?', 'Hood (right)', 'Gloves'),
  {
    text: 'What is worn in grade B?',
    type: 'multiple',
    options: [
      { text: 'Mask (right)', is_correct: true },
      { text: 'Own shoes', is_correct: false },
      { text: 'Gloves (right)', is_correct: true },
    ],
  },
]

/** Training for tests of other modules. Quinn manages programs and assigns them, Uma is trained, Petra verifies. */
export function trainings(world: World) {
  const { as } = world
  const url = (id: number, path = '') => `/api/training/${id}${path}`
  const create = async (fields: object = {}): Promise<Json> =>
    ok(await as('quinn').post('/api/training/', { title: 'Gowning', type: 'classroom', ...fields }))
  const effectiveDocument = async (title = 'Gowning for the filling room') => papers(world).effective({ title })
  const reading = async (fields: object = {}): Promise<Json> =>
    create({ type: 'read_and_understand', document_id: (await effectiveDocument()).id, ...fields })
  /** The id of the assignment of the first of them. */
  async function assign(training_id: number, names: string[]): Promise<number> {
    const user_ids = names.map(name => world.people[name]!.id)
    const { assigned } = ok(await as('quinn').post('/api/training/assign', { training_id, user_ids }))
    return assigned.find(({ user }: Json) => user.id === user_ids[0]).assignment_id
  }
  const get = async (by: string, id: number): Promise<Json> => ok(await as(by).get(url(id)))
  const start = (by: string, id: number) => as(by).post(url(id, '/start'))
  const complete = (by: string, id: number, body: object = {}, options = {}) =>
    as(by, options).post(url(id, '/complete'), { password, ...body })
  const verify = (by: string, assignment: number, body: object = {}) =>
    as(by).post(`/api/training/assignments/${assignment}/verify`, { password, ...body })
  /** Picks, of what is asked, the options that say that they are right; of the first `wrong` questions the others. */
  const answersTo = (program: Json, { wrong = 0 } = {}) =>
    program.questions.map((question: Json, i: number) => ({
      question: question.key,
      options: question.options
        .filter(({ text }: Json) => text.includes('(right)') !== i < wrong)
        .slice(0, question.type === 'multiple' ? 20 : 1)
        .map(({ key }: Json) => key),
    }))
  const assignment = async (id: number): Promise<Json> => {
    const [row] = await world.rows<Json>('select to_jsonb(a) as row from training_assignments a where id = $1', [id])
    return row.row
  }
  return { create, reading, effectiveDocument, assign, get, start, complete, verify, answersTo, assignment, url }
}

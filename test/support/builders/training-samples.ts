import { countTenant } from '../../../src/modules/training/compliance/counts.ts'
import type { World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'

/**
 * A program whose questions one answers, which is assigned to a group and stands in a curriculum as well; in rival all of it was done,
 * with an attempt that did not pass and a trainer's signature.
 */
export async function addTraining(
  world: World,
  {
    word,
    people: { admin, author, approver },
    document,
    groups: { group, curriculum },
    isDone,
  }: {
    word: string
    people: Record<'admin' | 'author' | 'approver', string>
    document: number
    groups: { group: number; curriculum: number }
    isDone: boolean
  },
) {
  const option = (key: string, is_correct: boolean) => ({ key, text: `${word} ${key}`, is_correct })
  const question = { key: word, text: word, type: 'single', explanation: word }
  const { id: program }: Json = ok(
    await world.as(approver).post('/api/training/', {
      title: `${word} training`,
      description: word,
      type: 'quiz',
      document_id: document,
      questions: [{ ...question, options: [option('right', true), option('wrong', false)] }],
      requires_verification: true,
      valid_months: 12,
    }),
  )
  const assign = async (name: string) => {
    const user_ids = [world.people[name]!.id]
    const { assigned } = ok(await world.as(approver).post('/api/training/assign', { training_id: program, user_ids }))
    return assigned[0].assignment_id as number
  }
  const assignment = await assign(author)
  ok(await world.as(approver).post(`/api/training/assignments/${await assign(admin)}/cancel`, { reason: word }))
  const url = `/api/training/${program}`
  ok(await world.as(author).post(`${url}/start`))
  const answer = async (picked: string) =>
    ok(
      await world
        .as(author)
        .post(`${url}/complete`, { answers: [{ question: word, options: [picked] }], intent: word }),
    )
  await answer('wrong')
  if (isDone) {
    await answer('right')
    ok(await world.as(approver).post(`/api/training/assignments/${assignment}/verify`, { comment: word }))
  }
  ok(await world.as(approver).post('/api/training/assign', { training_id: program, group_ids: [group] }))
  // Later changes are still to be counted.
  await countTenant(world.services, world.people[admin]!.tenant_id)
  const programs = [{ training_id: program }]
  ok(await world.as(approver).put(`/api/training/curricula/${curriculum}`, { programs, change_reason: word }))
  return {
    training_program: program as number,
    training_program_group: group,
    training_program_user: world.people[author]!.id,
    training_assignment: assignment,
  }
}

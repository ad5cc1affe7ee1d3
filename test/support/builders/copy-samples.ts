import type { World } from '../world/world.ts'
import { ok } from './documents.ts'

/** A printed copy of an effective document; done, it has all that a copy can have. */
export async function addCopy(
  world: World,
  {
    word,
    people,
    document,
    isDone,
  }: { word: string; people: Record<'author' | 'approver', string>; document: number; isDone: boolean },
) {
  const change_reason = word
  const { id } = ok(
    await world.as(people.approver).post(`/api/documents/${document}/controlled-copies`, {
      ...{ issued_to: world.people[people.author]!.id, location: word, purpose: word },
    }),
  )
  const post = async (by: string, what: string, body: object = {}) => {
    const reply = await world.as(by).post(`/api/controlled-copies/${id}/${what}`, body)
    if (reply.statusCode !== 200) throw new Error(reply.body)
  }
  await post(people.approver, 'print')
  if (isDone) {
    await post(people.approver, 'print', { reason: word })
    await post(people.approver, 'recall', { change_reason })
    await post(people.author, 'confirm', { outcome: 'destroyed', comment: word })
    await post(people.approver, 'reconcile', { outcome: 'destroyed', change_reason })
  }
  return { controlled_copy: id as number, copied_document: document }
}

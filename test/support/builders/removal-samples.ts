import { pdf, type World } from '../world/world.ts'
import { cases } from './cases.ts'
import { type Json, ok } from './documents.ts'

interface Around {
  word: string
  admin: string
  author: string
  requester: string
  isDecided: boolean
}

/** A request to remove an attached file; decided, it has all that such a request can have. */
export async function addFileRemoval(world: World, { word, admin, author, requester, isDecided }: Around) {
  const { id: deviation } = await cases(world).deviation({ by: author, title: word, description: word })
  const file = { bytes: pdf(`${word} wrong`), name: `${word} wrong.pdf` }
  const { id: attachment_id }: Json = ok(
    await world.as(author).upload(`/api/deviations/${deviation}/attachments`, { description: word }, file),
  )
  const { id }: Json = ok(await world.as(requester).post('/api/file-removals/', { attachment_id, reason: word }))
  if (isDecided) ok(await world.as(admin).post(`/api/file-removals/${id}/reject`, { decision_reason: word }))
  return { file_removal: id as number }
}

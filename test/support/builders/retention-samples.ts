import { pdf, type World } from '../world/world.ts'
import { cases } from './cases.ts'
import { behindTheApi, type Json, ok } from './documents.ts'

/** The moves of a document happened so many years ago: nobody can wait for the end of a retention period. */
export const ageDocument = (world: Pick<World, 'rows' | 'superuser'>, document_id: number, years: number) =>
  behindTheApi(
    world,
    'document_history',
    `update document_history set occurred_at = occurred_at - make_interval(years => $2) where document_id = $1`,
    [document_id, years],
  )

/** The moves of a deviation or a CAPA happened so many years ago. */
export const ageCase = (
  world: Pick<World, 'rows' | 'superuser'>,
  kind: 'deviation' | 'capa',
  id: number,
  years: number,
) =>
  behindTheApi(
    world,
    'record_history',
    `update record_history set occurred_at = occurred_at - make_interval(years => $2) where ${kind}_id = $1`,
    [id, years],
  )

interface Around {
  word: string
  admin: string
  author: string
  approver: string
  document_type: number
  isDecided: boolean
}

/** A cancelled document of the type whose retention period is over. */
export async function pastRetention(
  world: World,
  author: string,
  document_type: number,
  title = 'Draft',
): Promise<number> {
  const { id }: Json = ok(
    await world
      .as(author)
      .upload('/api/documents/upload', { title, document_type }, { bytes: pdf(title), name: `${title}.pdf` }),
  )
  const move = { transition: 'cancel', comment: 'Not needed' }
  ok(await world.as(author).post(`/api/documents/${id}/transition`, move))
  await ageDocument(world, id, 3)
  return id
}

/** A cancelled deviation with a file whose retention period is over. */
async function caseWithFile(world: World, { word, admin, author, approver }: Around): Promise<number> {
  ok(await world.as(admin).put('/api/settings/', { retention_years: { deviation: 2 }, change_reason: word }))
  const { id } = await cases(world).deviation({ by: author, title: word, description: word })
  const file = { bytes: pdf(`${word} photo`), name: `${word} photo.pdf` }
  ok(await world.as(author).upload(`/api/deviations/${id}/attachments`, { description: word }, file))
  ok(await world.as(approver).put(`/api/deviations/${id}`, { status: 'cancelled', change_reason: word }))
  await ageCase(world, 'deviation', id, 3)
  return id
}

/** A proposed disposal and a legal hold; decided, they have all that such records can have. */
export async function addRetention(world: World, around: Around) {
  const { word, admin, author, approver, document_type, isDecided } = around
  const rule = { retention_years: 2, change_reason: word }
  ok(await world.as(admin).put(`/api/document-types/${document_type}`, rule))
  const document_id = await pastRetention(world, author, document_type, word)
  const records = {
    versions: [{ document_id, version: '1.0' }],
    ...(isDecided && { deviation_ids: [await caseWithFile(world, around)] }),
  }
  const { id: disposal }: Json = ok(await world.as(approver).post('/api/disposals/', { ...records, reason: word }))
  // Another person lifts a hold than who placed it, and rival has one Admin.
  const permit = async (granted: string[]) =>
    ok(await world.as(admin).put(`/api/users/${world.people[approver]!.id}/permissions`, { granted, denied: [] }))
  if (isDecided) await permit(['retention.hold'])
  const { id: hold }: Json = ok(
    await world.as(approver).post('/api/legal-holds/', { affected_item: word, reason: word }),
  )
  if (isDecided) {
    ok(await world.as(admin).post(`/api/disposals/${disposal}/approve`, { decision_reason: word }))
    await world.work()
    ok(await world.as(admin).post(`/api/legal-holds/${hold}/lift`, { lift_reason: word }))
    await permit([])
    ok(await world.as(admin).post('/api/legal-holds/', { department: word, reason: word }))
  }
  return { disposal: disposal as number, legal_hold: hold as number }
}

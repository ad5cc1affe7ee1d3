import type { World } from '../world/world.ts'
import { type Json, ok, papers } from './documents.ts'
import { pdfOf } from './pdf.ts'

/** Controlled copies for tests. Petra issues and prints them, Uma holds them. */
export function copies(world: World) {
  const idOf = (name: string) => world.people[name]!.id
  const post = (by: string, id: number, what: string, body: object = {}) =>
    world.as(by).post(`/api/controlled-copies/${id}/${what}`, body)
  const ask = (
    document: number,
    { to = 'uma', by = 'petra', ...body }: { to?: string; by?: string; version?: string } = {},
  ) =>
    world
      .as(by)
      .post(`/api/documents/${document}/controlled-copies`, { issued_to: idOf(to), location: 'Line 1', ...body })
  const issue = async (...asked: Parameters<typeof ask>): Promise<Json> => ok(await ask(...asked))
  return {
    /** An effective document whose file has a page. */
    document: async (fields?: Record<string, string>): Promise<Json> => {
      const { id } = await papers(world).upload(fields, { bytes: await pdfOf(1), name: 'procedure.pdf' })
      return papers(world).release(id)
    },
    post,
    ask,
    issue,
    printed: async (...asked: Parameters<typeof ask>): Promise<Json> => {
      const copy = await issue(...asked)
      const reply = await post('petra', copy.id, 'print')
      if (reply.statusCode !== 200) throw new Error(reply.body)
      return copy
    },
    read: async (id: number, by = 'petra'): Promise<Json> => ok(await world.as(by).get(`/api/controlled-copies/${id}`)),
  }
}

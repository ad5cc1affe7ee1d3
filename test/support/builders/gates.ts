import { pdf, type World } from '../world/world.ts'
import { type Json, ok, papers } from './documents.ts'

/** Documents that training keeps back: Alan writes, Quentin approves, Quinn sets the types up and assigns. */
export function gatedDocuments(world: World) {
  const { as, people } = world
  const paper = papers(world)
  let made = 0
  const type = async (fields: object): Promise<Json> => {
    const [{ id }] = (await world.rows<{ id: number }>(
      `select w.id::int from workflow_templates w join tenants n on n.id = w.tenant_id
       where n.slug = 'acme' and w.name = 'Standard approval'`,
    )) as [{ id: number }]
    made += 1
    const body = { name: `Gated ${made}`, prefix: `GT${made}`, workflow_template_id: id, ...fields }
    return ok(await as('quinn').post('/api/document-types/', body))
  }
  const draft = async (document_type: number, fields: Record<string, string> = {}): Promise<Json> =>
    ok(await as('alan').upload('/api/documents/upload', { title: 'Filling of line 1', document_type, ...fields }))
  const release = async (id: number): Promise<Json> => {
    ok(await paper.move('alan', id, 'submit'))
    return ok(await paper.approve('quentin', id))
  }
  return {
    type,
    draft,
    release,
    released: async (document_type: number, fields?: Record<string, string>) =>
      release((await draft(document_type, fields)).id),
    /** The next version, released as far as its gate allows. */
    renew: async (id: number, fields: Record<string, string> = {}): Promise<Json> => {
      ok(
        await paper.addVersion(id, { change_type: 'major', ...fields }, 'alan', {
          bytes: pdf(`${++made}`),
          name: 'a.pdf',
        }),
      )
      return release(id)
    },
    /** Has these people read a document; the id of its reading. */
    assign: async (document_id: number, names: readonly string[], fields: object = {}): Promise<number> =>
      ok(
        await as('quinn').post('/api/training/assign', {
          document_id,
          user_ids: names.map(name => people[name]!.id),
          ...fields,
        }),
      ).training_id,
    complete: async (name: string, training_id: number): Promise<Json> =>
      ok(await as(name).post(`/api/training/${training_id}/complete`, {})),
    /** People's assignments of a program: name, status, version, source. */
    standings: async (training_id: number) =>
      (
        await world.rows<Record<string, string>>(
          `select u.username, a.status, coalesce(v.version, '-') as version, a.source from training_assignments a
           join users u on u.id = a.user_id left join document_versions v on v.id = a.version_id
           where a.program_id = $1 order by u.username, a.id`,
          [training_id],
        )
      ).map(each => Object.values(each).join(' ')),
    statusOf: async (id: number): Promise<string> => ok(await as('quinn').get(`/api/documents/${id}`)).status,
    gateOf: async (id: number): Promise<Json> => ok(await as('quinn').get(`/api/documents/${id}/workflow`)),
  }
}

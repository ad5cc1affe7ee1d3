import assert from 'node:assert/strict'
import { pdf, type World } from '../world/world.ts'

type File = { bytes: Buffer; name: string }
type Reply = Awaited<ReturnType<ReturnType<World['as']>['get']>>

/** A body as it comes: what is in it is for the test to say. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions are what checks it
export type Json = any

/** The reply's body, where it is a success; else its own words are the failure. */
export function ok(reply: Reply): Json {
  assert.ok(reply.statusCode < 300, `${reply.statusCode}: ${reply.body}`)
  return reply.json()
}

/** Documents for tests. Alan writes, Petra reviews, Quentin approves. */
export function papers(world: World) {
  const { as } = world
  const upload = async (
    { by = 'alan', type = 'SOP', ...fields }: { by?: string; type?: string; [field: string]: string } = {},
    file: File = { bytes: pdf(), name: 'procedure.pdf' },
  ) =>
    ok(
      await as(by).upload(
        '/api/documents/upload',
        { title: 'Cleaning of line 1', document_type: await world.typeId(type), ...fields },
        file,
      ),
    )
  const move = (by: string, id: number, transition: string, comment?: string) =>
    as(by).post(`/api/documents/${id}/transition`, { transition, ...(comment && { comment }) })
  const approve = (by: string, id: number, body: object = {}) => as(by).post(`/api/documents/${id}/approve`, body)
  const addVersion = async (id: number, fields: Record<string, string> = {}, by = 'alan', file?: File) =>
    as(by).upload(
      `/api/documents/${id}/versions`,
      { change_type: 'minor', change_reason: 'A step was missing', ...fields },
      file ?? { bytes: pdf('second'), name: 'procedure-2.pdf' },
    )
  /** From draft to effective. */
  const release = async (id: number) => {
    ok(await move('alan', id, 'submit'))
    ok(await approve('petra', id))
    return ok(await approve('quentin', id))
  }
  return {
    upload,
    move,
    approve,
    addVersion,
    release,
    submitted: async (fields?: Parameters<typeof upload>[0]) => {
      const { id } = await upload(fields)
      return ok(await move('alan', id, 'submit'))
    },
    effective: async (fields?: Parameters<typeof upload>[0]) => release((await upload(fields)).id),
    get: async (by: string, id: number, path = '') => ok(await as(by).get(`/api/documents/${id}${path}`)),
  }
}

/** Changes what the application cannot: the triggers that refuse it are taken out of the way, and put back as they were. */
export async function behindTheApi(
  world: Pick<World, 'rows' | 'superuser'>,
  table: string,
  statement: string,
  values: unknown[] = [],
) {
  const triggers = await world.rows<{ name: string; mode: string }>(
    `select quote_ident(tgname) as name, case tgenabled when 'A' then 'enable always' else 'enable' end as mode
      from pg_trigger where tgrelid = $1::regclass and not tgisinternal`,
    [table],
  )
  for (const { name } of triggers) await world.rows(`alter table ${table} disable trigger ${name}`)
  try {
    const { rowCount } = await world.superuser.query(statement, values)
    assert.ok(rowCount, `nothing was changed by ${statement}`)
  } finally {
    for (const { name, mode } of triggers) await world.rows(`alter table ${table} ${mode} trigger ${name}`)
  }
}

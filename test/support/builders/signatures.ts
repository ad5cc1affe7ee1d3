import type { World } from '../world/world.ts'
import { behindTheApi, type Json, ok } from './documents.ts'

/** The verification of a signature if nothing, the record, or the signature itself was altered. */
export const intact = { status: 'valid', failed: [] }
export const altered = (...failed: string[]) => ({ status: 'content_mismatch', failed })
export const forged = (...failed: string[]) => ({ status: 'seal_invalid', failed })

/** Signatures for tests: their details, and changes that nobody can make through the service. */
export function signatures(world: World) {
  const read = async (id: number, by = 'otto') => ok(await world.as(by).get(`/api/signatures/${id}`))
  const detail = async (name: string, id: number) =>
    (await read(id)).verification.checks.find((check: Json) => check.name === name).detail as string
  async function found(id: number, by = 'otto') {
    const { status, checks } = (await read(id, by)).verification
    return { status, failed: checks.filter(({ passed }: Json) => !passed).map(({ name }: Json) => name) }
  }
  const listed = async (resource_type: string, resource_id: number, by = 'otto') =>
    ok(await world.as(by).get(`/api/signatures/?resource_type=${resource_type}&resource_id=${resource_id}&sort=id:asc`))
      .items as Json[]

  /** Past every guard of the table, the keys between tables as well. */
  async function inReplica(statements: string) {
    try {
      await world.superuser.query(`
        begin; set local session_replication_role = replica; alter table signatures disable trigger append_only;
        ${statements}; alter table signatures enable always trigger append_only; commit`)
    } catch (error) {
      await world.superuser.query('rollback')
      throw error
    }
  }

  /** Sets columns of a row to others, looks, and puts them back. */
  async function whileAltered<T>(table: string, key: number, set: Record<string, string>, look: () => Promise<T>) {
    const [before] = (await world.rows<Json>(`select to_jsonb(t) as row from ${table} t where id = $1`, [key])) as [
      Json,
    ]
    const change = Object.entries(set).map(([column, to]) => `${column} = ${to}`)
    await behindTheApi(world, table, `update ${table} set ${change.join(', ')} where id = $1`, [key])
    try {
      return await look()
    } finally {
      const back = Object.keys(set).map(column => `${column} = o.${column}`)
      const undo = `update ${table} t set ${back.join(', ')} from jsonb_populate_record(null::${table}, $2) o where t.id = $1`
      await behindTheApi(world, table, undo, [key, before.row])
    }
  }
  return { read, detail, found, listed, inReplica, whileAltered }
}

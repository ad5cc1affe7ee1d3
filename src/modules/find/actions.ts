import { type Actor, query } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { listNamedPeople } from '#modules/accounts'
import { listNamedCapas } from '#modules/capas'
import { listNamedDeviations } from '#modules/deviations'
import { listNamedDocuments } from '#modules/documents'
import { listNamedPrograms } from '#modules/training'
import type { Tx } from '#platform/db/database.ts'
import { type NamedRecord, type SoughtName, soughtName } from '#platform/db/names.ts'
import { type Found, foremost } from './rules.ts'
import { FindAnswer, type Findable, FindQuery } from './schema.ts'

interface Finder {
  /** That of a single record of the kind. */
  permission: Permission
  find(reader: { tx: Tx; actor: Actor }, sought: SoughtName, limit: number): Promise<NamedRecord[]>
}

const finders: Record<Findable, Finder> = {
  document: {
    permission: 'documents.read',
    find: ({ tx, actor }, ...asked) => listNamedDocuments(tx, actor, ...asked),
  },
  deviation: { permission: 'deviations.read', find: ({ tx }, ...asked) => listNamedDeviations(tx, ...asked) },
  capa: { permission: 'capa.read', find: ({ tx }, ...asked) => listNamedCapas(tx, ...asked) },
  training_program: {
    permission: 'training.read_own',
    find: ({ tx, actor }, ...asked) => listNamedPrograms(tx, actor, ...asked),
  },
  user: { permission: 'users.read', find: ({ tx }, ...asked) => listNamedPeople(tx, ...asked) },
}

const most = 10

export const find = query({
  summary: 'Find records by number and title',
  description: `Finds documents, deviations, CAPAs, training programs and people that the caller may read: the nearest ${most} in all, each of whose number or title has every word of \`q\`. Zeros before a number do not count, so that \`2026-3\` finds DEV-2026-0003. A number comes before a beginning of it, and that before titles; equally near records come in turn of their kinds, the newest first. \`kinds\` says which kinds were searched.`,
  permission: 'search.use',
  input: { query: FindQuery },
  response: FindAnswer,
  async run({ tx, actor }, { query: { q } }) {
    const kinds = (Object.keys(finders) as Findable[]).filter(kind => actor.permissions.has(finders[kind].permission))
    const sought = soughtName(q)
    // All of them go to the database together.
    const found: Found[][] = await Promise.all(
      kinds.map(async kind => (await finders[kind].find({ tx, actor }, sought, most)).map(each => ({ kind, ...each }))),
    )
    return { items: foremost(found, most).map(({ place, ...each }) => each), kinds }
  },
})

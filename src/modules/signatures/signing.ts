import type { RawBuilder, SqlBool } from 'kysely'
import type { Actor } from '#action'
import type { Tx } from '#platform/db/database.ts'
import type { Signable } from './rules.ts'

/** What there is to sign is another module's; the program's composition hands it in. */
export interface Signing {
  /** The version of a document that the actor would sign, or the 404 of one that they may not read. With `lock`, under its lock. */
  findSignable(
    tx: Tx,
    actor: Actor,
    documentId: number,
    version: string | undefined,
    options: { lock: boolean },
  ): Promise<Signable>
  /** A version as it is now, whoever may read it. */
  readSignable(tx: Tx, versionId: number): Promise<Signable>
  /** Which versions `v` of documents `d` the actor may read. */
  readable(actor: Actor): RawBuilder<SqlBool>
}

import type { RawBuilder, SqlBool } from 'kysely'
import type { Actor } from '#action'
import type { Tx } from '#platform/db/database.ts'
import type { RecordSubject, RecordType, Signable } from './rules.ts'

/** What the signatures of one type of record need of the module that it is of. */
export interface RecordReader {
  /**
   * As it is now, whoever may read it; undefined where there is none. By the id alone, from whole rows (`selectAll`): a restore reads it
   * outside of any tenant, from the tables of the program that made the backup, and a column that they lack is no part of the content.
   */
  read(tx: Tx, id: number): Promise<RecordSubject | undefined>
  /** Whether the actor may read records of this type, or which of their signatures `s`. */
  readable(actor: Actor): boolean | RawBuilder<SqlBool>
}

/** Of every type that can be signed. */
export type SignedRecords = Readonly<Record<RecordType, RecordReader>>

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
  /** What is signed as one record. */
  records: SignedRecords
}

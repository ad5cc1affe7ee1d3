import type { RawBuilder, SqlBool } from 'kysely'
import type { Actor } from '#action'
import type { Tx } from '#platform/db/database.ts'
import type { RecordSubject, RecordType, Signable } from './rules.ts'

/** The part of a record's module that its signatures need. */
export interface RecordReader {
  /**
   * The current record, without a check of permissions; undefined if there is none. It is read by the id alone and from whole rows
   * (`selectAll`), because a restore reads it outside of any tenant, from tables that may lack newer columns.
   */
  read(tx: Tx, id: number): Promise<RecordSubject | undefined>
  /** The actor may read all records of this type, none, or those of which the signatures `s` fulfil the condition. */
  readable(actor: Actor): boolean | RawBuilder<SqlBool>
}

/** A reader for every type of record that can be signed. */
export type SignedRecords = Readonly<Record<RecordType, RecordReader>>

/** How the signed records are read, which other modules own. */
export interface Signing {
  /** The version of a document to sign, or the 404 of a missing one. `lock`: locks the document. */
  findSignable(
    tx: Tx,
    actor: Actor,
    documentId: number,
    version: string | undefined,
    options: { lock: boolean },
  ): Promise<Signable>
  /** The current version, without a check of permissions. */
  readSignable(tx: Tx, versionId: number): Promise<Signable>
  /** The condition on the versions `v` of documents `d` that the actor may read. */
  readable(actor: Actor): RawBuilder<SqlBool>
  /** The readers of records that are signed as a whole. */
  records: SignedRecords
}

declare module '#action/definitions.ts' {
  interface Services {
    signing: Signing
  }
}

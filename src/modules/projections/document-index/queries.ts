import { type RawBuilder, sql } from 'kysely'
import { builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { differing, isOneOf, listOf, overwritten } from '../columns-queries.ts'

/** Columns that lists and searches are narrowed by. */
const filters = 'document_type_id category status status_kind owner_id listed_on is_shown is_restricted'.split(' ')
const kept = ['document_id', 'number', 'legacy_number', 'title', ...filters, 'created_by', 'content_revision', 'words']

/** The rows of versions `v` as the records have them, but for title and words, which take long to compute. */
const fromRecords = sql`
  select v.id as version_id, d.id as document_id, d.number, d.legacy_number, v.title, v.keywords, v.description, v.content_revision, d.document_type_id,
    v.category, v.status, v.status_kind, d.owner_id, v.created_by,
    case when v.effective_at is null then (v.created_at at time zone 'UTC')::date else v.effective_date end as listed_on,
    d.shown_version_id is not distinct from v.id as is_shown,
    coalesce(d.training_gate, t.training_gate) = 'before_access' as is_restricted
  from documents d join document_types t on t.id = d.document_type_id join document_versions v on v.document_id = d.id`

/** Words of both numbers, where a document had another one before. */
const numbersOf = (row: RawBuilder<unknown>) => sql`concat_ws(' ', ${row}.number, ${row}.legacy_number)`

const labelOf = (row: RawBuilder<unknown>) =>
  sql`label_words(${numbersOf(row)}, ${row}.title, ${row}.keywords, ${row}.description)`

/**
 * Writes the rows of these documents that are not what the records say. Words are computed only where the label changed, and a change of
 * filters other than type and category leaves every index on words alone.
 */
export async function updateRows(tx: Tx, document_ids: readonly number[]) {
  const [id, ...others] = document_ids
  if (id !== undefined && others.length === 0) await Promise.all([lockTypeOf(tx, { id }), writeRowsOf(tx, { id })])
  else
    await Promise.all(
      [lockTypes(isOneOf(document_ids)), writeRows(isOneOf(document_ids))].map(each => each.execute(tx)),
    )
}

/**
 * Until the end of the transaction, so that a change of the training gate waits, and then finds the new rows. In a statement of its own,
 * because one that has waited does not see the rows that were written meanwhile.
 */
const lockTypes = (isThese: RawBuilder<unknown>) => sql`
  select from document_types where id = any (select document_type_id from documents where id ${isThese}) for share`

const writeRows = (isThese: RawBuilder<unknown>) => sql`
    with wanted as materialized (${fromRecords} where d.id ${isThese}),
      inserted as (
        insert into document_index (version_id, document_id, number, legacy_number, title, ${listOf(filters)}, created_by, content_revision, words)
        select w.version_id, w.document_id, w.number, w.legacy_number, plain_words(w.title), ${listOf(filters, 'w')}, w.created_by, w.content_revision, ${labelOf(sql`w`)}
        from wanted w where not exists (select from document_index i where i.version_id = w.version_id)),
      relabelled as (
        update document_index i set title = plain_words(w.title), words = ts_filter(i.words, '{c,d}') || ${labelOf(sql`w`)},
          content_revision = w.content_revision, (${listOf(filters)}) = (${listOf(filters, 'w')})
        from wanted w where i.version_id = w.version_id and i.content_revision <> w.content_revision)
    update document_index i set (${listOf(filters)}) = (${listOf(filters, 'w')})
    from wanted w where i.version_id = w.version_id and i.content_revision = w.content_revision
      and (${listOf(filters, 'i')}) is distinct from (${listOf(filters, 'w')})`

const lockTypeOf = builtOnce((_tx, { id }: { id: number }) => lockTypes(isOneOf([id])))
const writeRowsOf = builtOnce((_tx, { id }: { id: number }) => writeRows(isOneOf([id])))

/** Writes the training gate of these types to the documents without one of their own. */
export const updateGates = (tx: Tx, type_ids: readonly number[]) =>
  sql`
  update document_index i set is_restricted = t.training_gate = 'before_access'
  from documents d join document_types t on t.id = d.document_type_id
  where t.id = any(${type_ids}::bigint[]) and d.training_gate is null and i.document_id = d.id
    and i.is_restricted <> (t.training_gate = 'before_access')`.execute(tx)

/**
 * Writes the words of the extracted text of a version, before those of its label. Its caller holds the lock of the text. Returns how many
 * words are left out because the text has too many.
 */
export async function updateText(tx: Tx, version_id: number): Promise<number> {
  const { rows } = await sql<{ content: string; left_out: number }>`
    select content::text, left_out from content_words(${version_id})`.execute(tx)
  const { content, left_out } = rows[0]!
  await sql`
    update document_index i set words = ${content}::tsvector || label_words(${numbersOf(sql`i`)}, v.title, v.keywords, v.description)
    from document_versions v where v.id = i.version_id and i.version_id = ${version_id}`.execute(tx)
  return left_out
}

/** Documents in the order of their ids, for work in batches. */
export const listDocuments = async (tx: Tx, after: number, limit: number): Promise<number[]> =>
  (await tx.selectFrom('documents').select('id').where('id', '>', after).orderBy('id').limit(limit).execute()).map(
    ({ id }) => id,
  )

const computed = (document_ids: readonly number[]) => sql`
  select r.version_id, r.document_id, r.number, r.legacy_number, plain_words(r.title) as title, ${listOf(filters, 'r')}, r.created_by, r.content_revision,
    c.content || ${labelOf(sql`r`)} as words
  from (${fromRecords} where d.id = any(${document_ids}::bigint[])) r cross join lateral content_words(r.version_id) c`

/** Writes all rows of these documents that differ. Nobody can change the documents, their types or texts until the end of the transaction. */
export async function rebuildRows(tx: Tx, document_ids: readonly number[]) {
  const these = sql`any(${document_ids}::bigint[])`
  await sql`
    select from documents d join document_types t on t.id = d.document_type_id where d.id = ${these} order by d.id for share`.execute(
    tx,
  )
  await sql`
    insert into document_index as i (version_id, ${listOf(kept)}) select version_id, ${listOf(kept)} from (${computed(document_ids)}) computed
    on conflict (tenant_id, version_id) do update set ${overwritten(kept, 'i')}`.execute(tx)
}

/** The rows of these documents that differ from their records and texts. No row is without its version, which a foreign key holds. */
export async function listDrift(tx: Tx, document_ids: readonly number[]) {
  const { rows } = await sql<{ number: string; version_id: number; columns: string[] }>`
    select r.number, r.version_id, ${differing(kept, 'i', 'r')} as columns
    from (${computed(document_ids)}) r left join document_index i on i.version_id = r.version_id
    where (${listOf(kept, 'i')}) is distinct from (${listOf(kept, 'r')}) order by r.version_id`.execute(tx)
  return rows
}

// Files and links of records that a migration imports. They notify nobody, and closed records have theirs too.
import type { ActionContext } from '#action'
import { type CaseRef, ownerOf } from './base/kinds.ts'
import { insertLink, type Linked, lockCases } from './link-queries.ts'
import type { Relation } from './link-schema.ts'
import { placeOf } from './links.ts'
import { insertAttachment } from './part-queries.ts'

interface ImportedFile {
  file_key: string
  file_name: string
  file_size: number
  content_type: string
  sha256: string
}

/** The batch has taken the space of the files. Answers the ids of the attachments. */
export async function attachImported(
  { tx, record }: ActionContext<unknown>,
  ref: CaseRef,
  files: readonly ImportedFile[],
  from: object,
): Promise<number[]> {
  const ids = []
  for (const { file_key, ...columns } of files) {
    const { id } = await insertAttachment(tx, { ...ownerOf(ref), ...columns, file_key, description: null })
    record('attachment.created', id, { number: ref.number, after: { ...ownerOf(ref), ...columns, ...from } })
    ids.push(id)
  }
  return ids
}

/** A record at one end of a link, by its number. */
export interface ImportedEnd extends Linked {
  number: string
}

/** Links that are there already stay. Answers the record whose link it is. */
export async function addImportedLink(
  { tx, record }: ActionContext<unknown>,
  { one, other, relation }: { one: ImportedEnd; other: ImportedEnd; relation: Relation | null },
  from: object,
): Promise<CaseRef> {
  await lockCases(tx, [one, other])
  const { from: start, to, means } = placeOf(one, other)
  const meant = relation ?? means[0]!
  const made = await insertLink(tx, { from: start, to, relation: meant })
  const sides = [
    [one, other],
    [other, one],
  ] as const
  for (const [each, far] of made ? sides : []) {
    if (each.kind === 'document') continue
    const far_end = { resource_type: far.kind, resource_id: far.id, resource_number: far.number }
    record(`${each.kind}.linked`, each.id, {
      number: each.number,
      after: { link_id: made!.id, relation: meant, ...far_end, ...from },
    })
  }
  return { ...start, number: (start.id === one.id && start.kind === one.kind ? one : other).number }
}

import { type Static, Type } from 'typebox'
import { Allowed } from '#action/allowed.ts'
import { DisposalNote } from '#action/file.ts'
import { PageParams } from '#kernel/paging.ts'
import { Body, DeputyFields, Id, Nullable, OneOf, Person, Ref, Timestamp, Words } from '#kernel/schema.ts'

/** The relations of each kind of link; the first is the default. */
export const relations = {
  deviation_documents: ['reference', 'violated_procedure', 'evidence', 'updated_by'],
  deviation_capas: ['related', 'root'],
  deviation_deviations: ['similar', 'recurrence', 'duplicate'],
  capa_documents: ['reference', 'changes', 'evidence'],
} as const

const Relation = OneOf(
  'reference',
  'violated_procedure',
  'evidence',
  'updated_by',
  'changes',
  'related',
  'root',
  'similar',
  'recurrence',
  'duplicate',
)
export type Relation = Static<typeof Relation>

const LinkedKind = OneOf('document', 'capa', 'deviation')
export type LinkedKind = Static<typeof LinkedKind>

/** A link as seen from one record: the record at its other end. */
export const Link = Type.Object({
  id: Id,
  resource_type: LinkedKind,
  resource_id: Id,
  number: Type.String(),
  title: Type.String(),
  status: Type.String(),
  disposal: DisposalNote,
  relation: Relation,
  direction: Type.Enum(['to', 'from'], {
    description:
      '`to`: the relation is that of this record (it is a recurrence of the other); `from`: it is that of the other record',
  }),
  created_at: Timestamp,
  created_by: Nullable(Person),
})
export type Link = Static<typeof Link>
export const LinkShown = Type.Object({ ...Link.properties, you: Allowed })
export type LinkShown = Static<typeof LinkShown>

export const LinkFilter = Type.Object(PageParams, { additionalProperties: false })
export const LinkParams = Type.Object({ id: Id, link_id: Id })

const relation = Type.Optional(Relation)
export const LinkBody = {
  deviation: Body({ resource_type: LinkedKind, resource_id: Ref('document'), relation, ...DeputyFields }),
  capa: Body({
    resource_type: OneOf('document', 'deviation'),
    resource_id: Ref('document'),
    relation,
    ...DeputyFields,
  }),
}
export const UnlinkBody = Body({ reason: Words(2000), ...DeputyFields })

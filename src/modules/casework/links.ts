import { Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import { allowedActs, type Check, oneself, requirePermission } from '#action/allowed.ts'
import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import { type PageRequest, pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import {
  type CaseAccess,
  type CaseRecord,
  openCase,
  openToChange,
  readOnly,
  requireChanger,
  requireOpen,
  toWriteIn,
} from './base/access.ts'
import { type CaseKind, type CaseRef, caseKinds } from './base/kinds.ts'
import { filterReaders } from './base/people.ts'
import {
  countLinks,
  deleteLink,
  type Existing,
  type FoundLink,
  findLink,
  findOther,
  insertLink,
  type Linked,
  listLinks,
  lockCases,
  type NewLink,
  type Other,
} from './link-queries.ts'
import {
  Link,
  LinkBody,
  LinkFilter,
  LinkParams,
  LinkShown,
  type Relation,
  relations,
  UnlinkBody,
} from './link-schema.ts'
import { messages } from './messages.ts'

type Context = ActionContext<unknown>
export const labelOf = { document: 'Document', deviation: 'Deviation', capa: 'CAPA' } as const

/** The direction in which a link is stored, and the relations that its table allows. */
export function placeOf(self: Linked, other: Linked): Pick<NewLink, 'from' | 'to'> & { means: readonly Relation[] } {
  const [from, to] = isFrom(self, other) ? [self, other] : [other, self]
  const table =
    from.kind === 'capa'
      ? 'capa_documents'
      : to.kind === 'document'
        ? 'deviation_documents'
        : to.kind === 'capa'
          ? 'deviation_capas'
          : 'deviation_deviations'
  return { from: from as NewLink['from'], to, means: relations[table] }
}

/** Links are stored from deviations to CAPAs to documents, and among deviations from the newer to the older. */
function isFrom(self: Linked, other: Linked): boolean {
  if (self.kind === other.kind) return self.id > other.id
  return self.kind === 'deviation' || other.kind === 'document'
}

/** Records the link in the audit trail of both records. */
async function recordBoth(
  { tx, record }: Context,
  event: 'linked' | 'unlinked',
  self: Other,
  other: Other,
  link: object,
  reason?: string | null,
) {
  for (const [one, that] of [
    [self, other],
    [other, self],
  ] as const) {
    if (one.kind === 'document') continue
    const said = { ...link, resource_type: that.kind, resource_id: that.id, resource_number: that.number }
    record(`${one.kind}.${event}`, one.id, {
      number: one.number,
      ...(event === 'linked' ? { after: said } : { before: said }),
      reason: reason ?? null,
      notify: await filterReaders(tx, one.kind, one.people),
    })
  }
}

/** The caller holds the locks of both. */
export async function makeLink(context: Context, self: Other, other: Other, relation?: Relation): Promise<number> {
  const { from, to, means } = placeOf(self, other)
  if (relation !== undefined && !means.includes(relation))
    throw invalidField(
      'relation',
      messages.link_relation_not_allowed({ from: from.kind, to: to.kind, relations: means }),
    )
  if (relation === 'recurrence' && from.id !== self.id)
    throw invalidField(
      'resource_id',
      messages.link_recurrence_of_newer({ newer_number: other.number, older_number: self.number }),
    )
  const meant = relation ?? means[0]!
  const made = await insertLink(context.tx, { from, to, relation: meant })
  if (!made) throw conflict(messages.link_exists({ number: self.number, other_number: other.number }))
  await recordBoth(context, 'linked', self, other, { link_id: made.id, relation: meant })
  return made.id
}

/** The caller holds the locks of both. */
export async function takeLink(
  context: Context,
  self: Other,
  other: Other,
  { id, relation }: Pick<Existing, 'id' | 'relation'>,
  reason: string | null,
): Promise<void> {
  await deleteLink(context.tx, placeOf(self, other), id)
  await recordBoth(context, 'unlinked', self, other, { link_id: id, relation }, reason)
}

const hasEnded = (end: Other): end is Other & { kind: CaseKind } => end.kind !== 'document' && !end.is_open

/** The links that a record had when it ended belong to what was closed, so they stay. */
export function requireOpenEnds(...ends: Other[]) {
  const ended = ends.find(hasEnded)
  if (ended) throw readOnly(ended)
}

/** Locks both records, and reads them. */
async function requireBoth({ tx, actor }: Context, self: CaseRef, target: Linked): Promise<[Other, Other]> {
  if (target.kind === self.kind && target.id === self.id) throw invalidField('resource_id', messages.link_to_itself())
  await lockCases(tx, [self, target])
  const [one, other] = [await findOther(tx, actor, self), await findOther(tx, actor, target)]
  if (!other) throw notFound(labelOf[target.kind])
  return [one!, other]
}

function linksOf<T>(
  { tx, actor }: Context,
  of: Linked,
  query: PageRequest,
  shown: (link: FoundLink) => T | Promise<T>,
) {
  const sort = parseSort(query.sort, ['id'], { field: 'id', direction: 'asc' })
  return pageOf(
    query,
    async (limit, offset) => Promise.all((await listLinks(tx, actor, of, sort, limit, offset)).map(shown)),
    () => countLinks(tx, actor, of),
  )
}

const withoutActs = ({ is_open: _open, ...link }: FoundLink): Link => link

/** The conditions under which a link is removed from the side of this record. */
const checksOfRemoval = (
  { actor }: Pick<Context, 'actor'>,
  access: CaseAccess,
  record: CaseRecord,
  { resource_type: kind, number, status, is_open }: FoundLink,
): Check[] => [
  () => requirePermission(actor, toWriteIn(access)),
  () => requireChanger(actor, access, record),
  () => requireOpen(record),
  () => {
    if (kind !== 'document' && !is_open) throw readOnly({ kind, number, status })
  },
]

const present =
  (context: Pick<Context, 'actor'>, access: CaseAccess, record: CaseRecord) =>
  async (link: FoundLink): Promise<LinkShown> => ({
    ...withoutActs(link),
    you: await allowedActs({
      remove: checksOfRemoval({ actor: oneself(context.actor) }, access, record, link),
    }),
  })

export const links = (access: CaseAccess) =>
  query({
    summary: `List the links of a ${caseKinds[access.kind].noun}`,
    description: 'Only documents, CAPAs and deviations that the caller may read.',
    permission: caseKinds[access.kind].read,
    input: { params: IdParams, query: LinkFilter },
    response: Page(LinkShown),
    async run(context, { params, query }) {
      const record = await openCase(context.tx, context.actor, access, params.id)
      return linksOf(context, record, query, present(context, access, record))
    },
  })

export const documentLinks = query({
  summary: 'List the deviations and CAPAs that are linked to a document',
  description: 'Only records that the caller may read.',
  permission: 'documents.read',
  input: { params: IdParams, query: LinkFilter },
  response: Page(Link),
  async run(context, { params, query }) {
    const document = { kind: 'document', id: params.id } as const
    if (!(await findOther(context.tx, context.actor, document))) throw notFound('Document')
    return linksOf(context, document, query, withoutActs)
  },
})

async function requireLink({ tx, actor }: Context, of: Linked, id: number): Promise<FoundLink> {
  const link = await findLink(tx, actor, of, id)
  if (!link) throw notFound('Link')
  return link
}

export const linkDetails = (access: CaseAccess) =>
  query({
    summary: `Read a link of a ${caseKinds[access.kind].noun}`,
    permission: caseKinds[access.kind].read,
    input: { params: LinkParams },
    response: LinkShown,
    async run(context, { params }) {
      const record = await openCase(context.tx, context.actor, access, params.id)
      return present(context, access, record)(await requireLink(context, record, params.link_id))
    },
  })

export const addLink = (access: CaseAccess) =>
  command({
    summary: `Link a ${caseKinds[access.kind].noun} to another record`,
    description:
      'Both records show the link. A final record takes no more links from its own side. A recurrence is linked from the newer deviation.',
    permission: toWriteIn(access),
    byDeputy: 'tasks',
    input: { params: IdParams, body: LinkBody[access.kind] },
    response: LinkShown,
    async run(context, { params, body: { resource_type, resource_id, relation } }) {
      const { tx, actor } = context
      const self = await openToChange(tx, actor, access, params.id, { lock: false })
      const ends = await requireBoth(context, self, { kind: resource_type, id: resource_id })
      const record = await openToChange(tx, actor, access, self.id)
      requireOpen(record)
      const id = await makeLink(context, ...ends, relation)
      return present(context, access, record)(await requireLink(context, self, id))
    },
  })

export const removeLink = (access: CaseAccess) =>
  command({
    summary: `Remove a link of a ${caseKinds[access.kind].noun}`,
    description: 'The audit trail keeps the reason and the removed link.',
    permission: toWriteIn(access),
    byDeputy: 'tasks',
    input: { params: LinkParams, body: UnlinkBody },
    response: Type.Null(),
    async run(context, { params, body: { reason } }) {
      const { tx, actor } = context
      const self = await openToChange(tx, actor, access, params.id, { lock: false })
      const { resource_type, resource_id } = await requireLink(context, self, params.link_id)
      const ends = await requireBoth(context, self, { kind: resource_type, id: resource_id })
      // Another person may have removed it before the locks were held.
      const link = await requireLink(context, self, params.link_id)
      requireOpenEnds(...ends)
      await takeLink(context, ...ends, link, reason)
      return null
    },
  })

// The sources of what is due: for each kind of record the condition for open ones, the due date, the assignee and the readers. The
// conditions are those of the indexes that hold open records only.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '#action'
import type { Permission } from '#kernel/catalogue.ts'
import { mayAssignDeviations } from '#modules/deviations'
import { isInUse, readable } from '#modules/documents'
import type { Kind } from './schema.ts'

/** The caller, and the ids of the versions, deviations and CAPAs that await their decision. */
export interface Asker {
  actor: Actor
  decides: Partial<Record<Kind, readonly number[]>>
  /** The people whose tasks the caller does as their deputy. */
  represented?: readonly number[]
}

export interface Source {
  kind: Kind
  permission: Permission
  /** Given where more than the permission to read is needed. */
  mayAsk?(permissions: ReadonlySet<Permission>): boolean
  /** The tables that decide which rows count. */
  from: RawBuilder<unknown>
  open: RawBuilder<SqlBool>
  due: RawBuilder<string>
  /** The id of the item, which orders rows with the same due date. */
  id: RawBuilder<number>
  isYours(asker: Asker): RawBuilder<SqlBool>
  /** Given where the caller may not read all rows. */
  isReadable?(asker: Asker): RawBuilder<SqlBool>
  /** The columns that are shown; `record_id` is the record with the number. */
  shown: RawBuilder<unknown>
}

/**
 * A value that the planner does not look at. The statements on all kinds take longer to plan than to run, and a value by which a plan of its
 * own looks cheaper would have the server plan them each time. This way it keeps one plan, which is right for all values, because each kind
 * is read from the index on its open records.
 */
export const unplanned = (value: RawBuilder<unknown>) => sql`(select ${value})`
const anyOf = (ids: readonly (number | null)[]) => sql`any(${unplanned(sql`${ids}::bigint[]`)}::bigint[])`

/** The sources that the caller may ask. */
export const allowed = (sources: readonly Source[], { permissions }: Pick<Actor, 'permissions'>) =>
  sources.filter(each => permissions.has(each.permission) && (each.mayAsk?.(permissions) ?? true))

/** Matches rows that are assigned to the caller, or to somebody for whom they act. */
const assigned =
  (assignee: RawBuilder<unknown>) =>
  ({ actor, represented = [] }: Asker): RawBuilder<SqlBool> =>
    represented.length === 0
      ? sql`${assignee} = ${unplanned(sql`${actor.userId}::bigint`)}`
      : sql`${assignee} = ${anyOf([actor.userId, ...represented])}`

/** Matches these rows, and those that await the caller's decision. */
const assignedOrDecided =
  (kind: Kind, id: RawBuilder<number>, assignee: RawBuilder<unknown>) =>
  (asker: Asker): RawBuilder<SqlBool> =>
    asker.decides[kind]?.length
      ? sql`(${assigned(assignee)(asker)} or ${id} = ${anyOf(asker.decides[kind])})`
      : assigned(assignee)(asker)

const isOpenCapa = sql<SqlBool>`is_open_capa(c.status)`

/** Nobody does another's training for them. */
const isOwnTraining = ({ actor }: Asker) => assigned(sql`a.user_id`)({ actor, decides: {} })

const training: Source = {
  kind: 'training_assignment',
  permission: 'training.read_own',
  from: sql`training_assignments a`,
  open: sql`is_open_training_assignment(a.status)`,
  due: sql`a.due_date`,
  id: sql`a.id`,
  isYours: isOwnTraining,
  isReadable: asker => (asker.actor.permissions.has('training.read_all') ? sql`true` : isOwnTraining(asker)),
  shown: sql`a.program_id as record_id, a.status, null as urgency, a.user_id as person_id,
    (select number from training_programs where id = a.program_id) as number,
    (select title from training_programs where id = a.program_id) as title`,
}

const deviation: Source = {
  kind: 'deviation',
  permission: 'deviations.read',
  from: sql`deviations d`,
  open: sql`is_open_deviation(d.status)`,
  due: sql`d.due_date`,
  id: sql`d.id`,
  isYours: assignedOrDecided('deviation', sql`d.id`, sql`d.assigned_to`),
  shown: sql`d.id as record_id, d.status, d.severity as urgency, d.assigned_to as person_id, d.number, d.title`,
}

const capa: Source = {
  kind: 'capa',
  permission: 'capa.read',
  from: sql`capas c`,
  open: isOpenCapa,
  due: sql`c.due_date`,
  id: sql`c.id`,
  isYours: assignedOrDecided('capa', sql`c.id`, sql`c.assigned_to`),
  shown: sql`c.id as record_id, c.status, c.priority as urgency, c.assigned_to as person_id, c.number, c.title`,
}

const capaAction: Source = {
  kind: 'capa_action',
  permission: 'capa.read',
  from: sql`capa_actions a join capas c on c.id = a.capa_id`,
  // The actions of a draft begin after its approval.
  open: sql`is_open_capa_action(a.status) and c.status <> 'draft' and ${isOpenCapa}`,
  due: sql`a.due_date`,
  id: sql`a.id`,
  isYours: assigned(sql`a.assigned_to`),
  shown: sql`c.id as record_id, a.status, c.priority as urgency, a.assigned_to as person_id, c.number,
    a.description as title`,
}

const effectivenessReview: Source = {
  kind: 'effectiveness_review',
  permission: 'capa.read',
  from: sql`effectiveness_reviews r join capas c on c.id = r.capa_id`,
  open: sql`r.status = 'planned' and ${isOpenCapa}`,
  due: sql`r.due_date`,
  id: sql`r.id`,
  isYours: assigned(sql`r.reviewer_id`),
  shown: sql`c.id as record_id, c.status, c.priority as urgency, r.reviewer_id as person_id, c.number, c.title`,
}

const isPending = ({ decides }: Asker) => sql<SqlBool>`v.id = ${anyOf(decides.document_approval ?? [])}`

const documentApproval: Source = {
  kind: 'document_approval',
  permission: 'documents.read',
  from: sql`document_versions v join documents d on d.id = v.document_id`,
  open: sql`v.approval_due_date is not null`,
  due: sql`v.approval_due_date`,
  id: sql`v.id`,
  isYours: isPending,
  isReadable: asker => sql`(${readable(asker.actor)} or ${isPending(asker)})`,
  shown: sql`d.id as record_id, v.status, null as urgency, d.owner_id as person_id, d.number, v.title`,
}

const documentReview: Source = {
  kind: 'document_review',
  permission: 'documents.read',
  // By its id too, so that the few versions that are due find their documents by an index.
  from: sql`document_versions v join documents d on d.id = v.document_id and d.effective_version_id = v.id`,
  open: sql`v.review_due_date is not null`,
  due: sql`v.review_due_date`,
  id: sql`v.id`,
  isYours: assigned(sql`d.owner_id`),
  shown: sql`d.id as record_id, v.status, null as urgency, d.owner_id as person_id, d.number, v.title`,
}

const controlledCopy: Source = {
  kind: 'controlled_copy',
  permission: 'documents.read',
  from: sql`controlled_copies k join documents d on d.id = k.document_id join document_versions v on v.id = k.version_id`,
  open: sql`k.status = 'recalled'`,
  due: sql`k.due_date`,
  id: sql`k.id`,
  isYours: asker =>
    sql`(k.confirmed_at is null and ${assigned(sql`k.holder_id`)(asker)}
      or k.id = ${anyOf(asker.decides.controlled_copy ?? [])})`,
  isReadable: asker =>
    asker.actor.permissions.has('documents.print_controlled') || asker.actor.permissions.has('audit.read')
      ? sql`true`
      : assigned(sql`k.holder_id`)(asker),
  shown: sql`d.id as record_id, k.status, null as urgency, k.holder_id as person_id,
    d.number || ' copy ' || k.copy_number as number, v.title`,
}

/** Work that nobody is assigned, for people who may assign it. While a record awaits a decision, there is nothing to assign. */
const unassignedDeviation: Source = {
  ...deviation,
  mayAsk: mayAssignDeviations,
  open: sql`${deviation.open} and d.assigned_to is null and d.status <> 'pending_approval'`,
  isYours: () => sql`true`,
}
const unassignedCapa: Source = {
  ...capa,
  mayAsk: permissions => permissions.has('capa.update'),
  open: sql`${capa.open} and c.assigned_to is null and c.status <> 'pending_effectiveness'`,
  isYours: () => sql`true`,
}

/** Matches rows whose assignee has left. */
const hasLeft = (person: RawBuilder<unknown>) =>
  sql<SqlBool>`${person} = any(array(select id from users where not is_active))`

const holdsAll =
  (...needed: Permission[]) =>
  (permissions: ReadonlySet<Permission>) =>
    needed.every(each => permissions.has(each))

/** The work of people who have left, for people who may give it to somebody else. While a record awaits a decision, there is nothing to assign. */
const orphanedDeviation: Source = {
  ...unassignedDeviation,
  open: sql`${deviation.open} and d.status <> 'pending_approval' and ${hasLeft(sql`d.assigned_to`)}`,
}
const orphanedCapa: Source = {
  ...unassignedCapa,
  open: sql`${capa.open} and c.status <> 'pending_effectiveness' and ${hasLeft(sql`c.assigned_to`)}`,
}
const orphanedAction: Source = {
  ...capaAction,
  mayAsk: holdsAll('capa.update', 'capa.manage_actions'),
  open: sql`is_open_capa_action(a.status) and ${isOpenCapa} and c.status <> 'pending_effectiveness'
    and ${hasLeft(sql`a.assigned_to`)}`,
  isYours: () => sql`true`,
}
const orphanedReview: Source = {
  ...effectivenessReview,
  mayAsk: holdsAll('effectiveness.update'),
  open: sql`${effectivenessReview.open} and ${hasLeft(sql`r.reviewer_id`)}`,
  isYours: () => sql`true`,
}
/**
 * Documents are read from the index on their owners, one who has left after the other, and their versions one by one. `offset 0` keeps the
 * planner from reading all of both, which it does where it takes everybody to own about equally many.
 */
const orphanedDocument: Source = {
  kind: 'document',
  permission: 'documents.read',
  mayAsk: holdsAll('documents.update'),
  from: sql`users u cross join lateral (select * from documents where owner_id = u.id offset 0) d
    cross join lateral (select * from document_versions where id = d.shown_version_id offset 0) v
    cross join lateral (select * from document_versions where id = d.latest_version_id offset 0) l`,
  open: sql`not u.is_active and ${isInUse}`,
  due: sql`v.review_due_date`,
  id: sql`d.id`,
  isYours: () => sql`true`,
  isReadable: ({ actor }) => readable(actor),
  shown: sql`d.id as record_id, v.status, null as urgency, d.owner_id as person_id, d.number, v.title`,
}

const orphanedCopy: Source = {
  ...controlledCopy,
  mayAsk: holdsAll('documents.print_controlled'),
  open: sql`is_open_controlled_copy(k.status) and k.confirmed_at is null and ${hasLeft(sql`k.holder_id`)}`,
  isYours: () => sql`true`,
}

export const orphaned = {
  deviations: [orphanedDeviation],
  capas: [orphanedCapa, orphanedAction, orphanedReview],
  documents: [orphanedDocument],
  controlled_copies: [orphanedCopy],
}

export const unassigned = { deviations: [unassignedDeviation], capas: [unassignedCapa] }
export const ofTraining = [training]
export const ofDeviations = [deviation]
export const ofCapas = [capa, capaAction, effectivenessReview]
export const ofCopies = [controlledCopy]
export const sources: readonly Source[] = [
  training,
  deviation,
  capa,
  capaAction,
  effectivenessReview,
  documentApproval,
  documentReview,
  controlledCopy,
]

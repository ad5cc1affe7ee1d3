// What sheets look up in the records, and how they read records back.
import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

const list = (values: readonly (string | number)[]) => [...new Set(values)]

/** The day of a moment in the time zone of the tenant. */
const dayOf = (column: string, time_zone: string) =>
  sql<string | null>`(${sql.ref(column)} at time zone ${time_zone})::date::text`

export interface FoundUser {
  id: number
  username: string
  email: string
  full_name: string | null
  is_active: boolean
  role: string
  has_password: boolean
}

/** People of the tenant by their names or addresses, whatever their case. */
export const findPeople = (tx: Tx, names: readonly string[], emails: readonly string[] = []): Promise<FoundUser[]> =>
  tx
    .selectFrom('users as u')
    .innerJoin('roles as r', 'r.id', 'u.role_id')
    .innerJoin('credentials as c', 'c.user_id', 'u.id')
    .select(['u.id', 'u.username', 'u.full_name', 'u.is_active', 'r.name as role'])
    .select([sql<string>`u.email`.as('email'), sql<boolean>`c.password_hash is not null`.as('has_password')])
    .where('u.kind', '=', 'person')
    .where(
      sql<boolean>`lower(u.username) = any(${list(names.map(each => each.toLowerCase()))}::text[])
        or lower(u.email) = any(${list(emails.map(each => each.toLowerCase()))}::text[])`,
    )
    .execute()

export const findPeopleById = (tx: Tx, ids: readonly number[]): Promise<FoundUser[]> =>
  tx
    .selectFrom('users as u')
    .innerJoin('roles as r', 'r.id', 'u.role_id')
    .innerJoin('credentials as c', 'c.user_id', 'u.id')
    .select(['u.id', 'u.username', 'u.full_name', 'u.is_active', 'r.name as role'])
    .select([sql<string>`u.email`.as('email'), sql<boolean>`c.password_hash is not null`.as('has_password')])
    .where('u.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

/** The service accounts among these names: their names are taken, and they are nobody's. */
export const listServiceNames = async (tx: Tx, names: readonly string[]): Promise<string[]> =>
  (
    await tx
      .selectFrom('users')
      .select('username')
      .where('kind', '=', 'service')
      .where(sql`lower(username)`, '=', sql<string>`any(${list(names.map(each => each.toLowerCase()))}::text[])`)
      .execute()
  ).map(({ username }) => username)

export const findGroups = (tx: Tx, names: readonly string[]) =>
  tx
    .selectFrom('groups')
    .select(['id', 'name', 'description', 'group_type'])
    .where(sql`lower(name)`, '=', sql<string>`any(${list(names.map(each => each.toLowerCase()))}::text[])`)
    .where('deleted_at', 'is', null)
    .execute()

export const findGroupsById = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('groups')
    .select(['id', 'name', 'description', 'group_type'])
    .where('id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

/** The groups with these people among their members of today. */
export const listMemberships = async (
  tx: Tx,
  groupIds: readonly number[],
): Promise<{ id: number; username: string }[]> =>
  tx
    .selectFrom('group_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.group_id as id', 'u.username'])
    .where('m.group_id', '=', sql<number>`any(${list(groupIds)}::bigint[])`)
    .where('m.removed_at', 'is', null)
    .execute()

/** A record by the number that rows call it by: its own, or the one of before if this batch gave it a new one. */
export interface FoundRecord {
  id: number
  called: string
  number: string
  title: string
  batch_id: number | null
}

const calledBy = (batch: number, numbers: readonly string[]) => sql<boolean>`(d.number = any(${list(numbers)}::text[])
  or d.migration_batch_id = ${batch} and d.legacy_number = any(${list(numbers)}::text[]))`
const called = (batch: number) =>
  sql<string>`case when d.migration_batch_id = ${batch} then coalesce(d.legacy_number, d.number) else d.number end`.as(
    'called',
  )

export interface FoundDocument extends FoundRecord {
  document_type_id: number
  effective_version: { id: number; version: string } | null
}

export const findDocuments = (tx: Tx, batch: number, numbers: readonly string[]): Promise<FoundDocument[]> =>
  tx
    .selectFrom('documents as d')
    .leftJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select(['d.id', 'd.number', 'd.document_type_id', 'd.migration_batch_id as batch_id', called(batch)])
    .select([
      sql<string>`coalesce(v.title, '')`.as('title'),
      sql<FoundDocument['effective_version']>`(select jsonb_build_object('id', e.id, 'version', e.version)
        from document_versions e where e.id = d.effective_version_id)`.as('effective_version'),
    ])
    .where(calledBy(batch, numbers))
    .execute()

export const findDeviations = (tx: Tx, batch: number, numbers: readonly string[]): Promise<FoundRecord[]> =>
  tx
    .selectFrom('deviations as d')
    .select(['d.id', 'd.number', 'd.title', 'd.migration_batch_id as batch_id', called(batch)])
    .where(calledBy(batch, numbers))
    .execute()

export const findCapas = (tx: Tx, batch: number, numbers: readonly string[]): Promise<FoundRecord[]> =>
  tx
    .selectFrom('capas as d')
    .select(['d.id', 'd.number', 'd.title', 'd.migration_batch_id as batch_id', called(batch)])
    .where(calledBy(batch, numbers))
    .execute()

export const findVersions = (tx: Tx, documentIds: readonly number[]) =>
  tx
    .selectFrom('document_versions')
    .select(['id', 'document_id', 'version', 'effective_date'])
    .where('document_id', '=', sql<number>`any(${list(documentIds)}::bigint[])`)
    .execute()

/** The programs that no document has, by their titles or numbers. */
export const findPrograms = (tx: Tx, names: readonly string[]) =>
  tx
    .selectFrom('training_programs')
    .select(['id', 'number', 'title', 'type', 'requires_verification'])
    .where('document_id', 'is', null)
    .where('status', '=', 'active')
    .where(sql<boolean>`(title = any(${list(names)}::text[]) or number = any(${list(names)}::text[]))`)
    .orderBy('id')
    .execute()

/** The readings of these documents that ask for a verification by a trainer. */
export const listVerifiedReadings = async (tx: Tx, documentIds: readonly number[]): Promise<Set<number>> =>
  new Set(
    (
      await tx
        .selectFrom('training_programs')
        .select(sql<number>`document_id`.as('document_id'))
        .where('document_id', '=', sql<number>`any(${list(documentIds)}::bigint[])`)
        .where('type', '=', 'read_and_understand')
        .where('status', '=', 'active')
        .where('requires_verification', '=', true)
        .execute()
    ).map(({ document_id }) => document_id),
  )

/** The staged versions of documents, whatever the page that is checked. */
export const listStagedVersions = (tx: Tx, batch: number, numbers: readonly string[]) =>
  tx
    .selectFrom('migration_rows')
    .select('line')
    .select([
      sql<string>`"values" ->> 'number'`.as('number'),
      sql<string>`"values" ->> 'version'`.as('version'),
      sql<string | null>`"values" ->> 'state'`.as('state'),
      sql<string | null>`"values" ->> 'effective_date'`.as('effective_date'),
      sql<string | null>`"values" ->> 'title'`.as('title'),
    ])
    .where('batch_id', '=', batch)
    .where('sheet', '=', 'versions')
    .where(sql`"values" ->> 'number'`, '=', sql<string>`any(${list(numbers)}::text[])`)
    .orderBy('line')
    .execute()

/** The titles of trainings without a document that are staged. */
export const listStagedTrainings = async (tx: Tx, batch: number, titles: readonly string[]): Promise<Set<string>> =>
  new Set(
    (
      await tx
        .selectFrom('migration_rows')
        .select(sql<string>`"values" ->> 'title'`.as('title'))
        .distinct()
        .where('batch_id', '=', batch)
        .where('sheet', '=', 'training')
        .where(sql`"values" ->> 'title'`, '=', sql<string>`any(${list(titles)}::text[])`)
        .execute()
    ).map(({ title }) => title),
  )

/** Attachments of a record by their names, with the hashes of their contents. The evidence of an action is compared with the action. */
const attachmentsOf = (column: 'deviation_id' | 'capa_id') =>
  sql<
    { name: string; sha256: string }[]
  >`coalesce((select jsonb_agg(jsonb_build_object('name', a.file_name, 'sha256', a.sha256) order by a.id)
    from attachments a where a.${sql.ref(column)} = d.id and not exists (select from capa_actions n
      where n.capa_id = a.capa_id and n.migration_batch_id is not null and a.id = any(n.attachment_ids))), '[]')`.as(
    'attachments',
  )

export const readDocuments = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_types as t', 't.id', 'd.document_type_id')
    .innerJoin('users as u', 'u.id', 'd.owner_id')
    .leftJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .leftJoin('document_versions as e', 'e.id', 'd.effective_version_id')
    .select([
      'd.id',
      'd.number',
      'd.legacy_number',
      'd.department',
      't.name as type',
      't.prefix',
      'u.username as owner',
    ])
    .select(['v.title', 'v.category', 'v.keywords', 'v.description', 'e.review_due_date'])
    .where('d.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

export const readVersions = (tx: Tx, ids: readonly number[], time_zone: string) =>
  tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .select(['v.id', 'd.number', 'd.legacy_number', 'v.version', 'v.legacy_label', 'v.status', 'v.title'])
    .select(['v.change_reason', 'v.effective_date', 'v.ended_on', 'v.file_key', 'v.file_name', 'v.sha256'])
    .select([
      dayOf('v.effective_at', time_zone).as('effective_on'),
      sql<string>`(select h.trigger from document_history h where h.version_id = v.id order by h.id limit 1)`.as(
        'trigger',
      ),
    ])
    .where('v.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

export const readApprovals = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('historical_approvals as h')
    .innerJoin('document_versions as v', 'v.id', 'h.version_id')
    .innerJoin('documents as d', 'd.id', 'h.document_id')
    .leftJoin('migration_files as f', 'f.id', 'h.evidence_file_id')
    .select(['h.id', 'd.number', 'd.legacy_number', 'v.version', 'h.person_name', 'h.person_role', 'h.approved_on'])
    .select(['h.meaning', 'h.evidence', 'f.path as evidence_path', 'f.file_key', 'f.sha256'])
    .where('h.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

export const readCurricula = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('curricula as c')
    .select(['c.id', 'c.name', 'c.description', 'c.role_names'])
    .select([
      sql<string[]>`coalesce((select jsonb_agg(g.name order by lower(g.name)) from curriculum_groups l
        join groups g on g.id = l.group_id where l.curriculum_id = c.id), '[]')`.as('groups'),
      sql<{ title: string; number: string; document: string | null; legacy: string | null }[]>`coalesce((
        select jsonb_agg(jsonb_build_object('title', p.title, 'number', p.number, 'document', d.number, 'legacy', d.legacy_number)
          order by l.position)
        from curriculum_programs l join training_programs p on p.id = l.program_id left join documents d on d.id = p.document_id
        where l.curriculum_id = c.id), '[]')`.as('programs'),
    ])
    .where('c.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

/** The names of curricula that are there. */
export const listCurriculumNames = async (tx: Tx, names: readonly string[]): Promise<Set<string>> =>
  new Set(
    (
      await tx
        .selectFrom('curricula')
        .select('name')
        .where('name', '=', sql<string>`any(${list(names)}::text[])`)
        .execute()
    ).map(({ name }) => name),
  )

export const readTrainings = (tx: Tx, ids: readonly number[], time_zone: string) =>
  tx
    .selectFrom('training_assignments as a')
    .innerJoin('training_programs as p', 'p.id', 'a.program_id')
    .innerJoin('users as u', 'u.id', 'a.user_id')
    .leftJoin('documents as d', 'd.id', 'a.document_id')
    .leftJoin('document_versions as v', 'v.id', 'a.version_id')
    .select(['a.id', 'u.username', 'd.number', 'd.legacy_number', 'v.version', 'p.title', 'a.status', 'a.source'])
    .select(['a.valid_until', 'a.score', 'a.signature_id', 'p.valid_months'])
    .select(dayOf('a.completed_at', time_zone).as('completed_on'))
    .where('a.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

export const readDeviations = (tx: Tx, ids: readonly number[], time_zone: string) =>
  tx
    .selectFrom('deviations as d')
    .innerJoin('users as r', 'r.id', 'd.reported_by')
    .leftJoin('users as a', 'a.id', 'd.assigned_to')
    .select(['d.id', 'd.number', 'd.legacy_number', 'd.title', 'd.description', 'd.severity', 'd.status', 'd.category'])
    .select(['d.department', 'd.due_date', 'd.investigation', 'r.username as reporter', 'a.username as assignee'])
    .select([
      dayOf('d.occurred_at', time_zone).as('occurred_on'),
      dayOf('d.detected_at', time_zone).as('detected_on'),
      dayOf('d.reported_at', time_zone).as('reported_on'),
      dayOf('d.closed_at', time_zone).as('closed_on'),
      attachmentsOf('deviation_id'),
    ])
    .where('d.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

export const readCapas = (tx: Tx, ids: readonly number[], time_zone: string) =>
  tx
    .selectFrom('capas as d')
    .leftJoin('users as a', 'a.id', 'd.assigned_to')
    .select(['d.id', 'd.number', 'd.legacy_number', 'd.title', 'd.description', 'd.type', 'd.source', 'd.priority'])
    .select(['d.status', 'd.opened_on', 'd.due_date', 'd.root_cause', 'd.adverse_effect_assessment'])
    .select(['a.username as assignee', dayOf('d.closed_at', time_zone).as('closed_on'), attachmentsOf('capa_id')])
    .where('d.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

/** With the files of the CAPA that are evidence of each. */
export const readCapaActions = (tx: Tx, ids: readonly number[], time_zone: string) =>
  tx
    .selectFrom('capa_actions as a')
    .innerJoin('capas as d', 'd.id', 'a.capa_id')
    .innerJoin('users as u', 'u.id', 'a.assigned_to')
    .select([
      'a.id',
      'd.number',
      'd.legacy_number',
      'a.position',
      'a.description',
      'a.status',
      'a.due_date',
      'a.evidence',
    ])
    .select(['a.completed_by_name', 'a.approved_by_name', 'u.username as assignee'])
    .select([
      dayOf('a.completed_at', time_zone).as('completed_on'),
      dayOf('a.approved_at', time_zone).as('verified_on'),
      sql<{ name: string; sha256: string }[]>`coalesce((
        select jsonb_agg(jsonb_build_object('name', f.file_name, 'sha256', f.sha256) order by f.id)
        from attachments f where f.id = any(a.attachment_ids)), '[]')`.as('attachments'),
    ])
    .where('a.id', '=', sql<number>`any(${list(ids)}::bigint[])`)
    .execute()

/** The records that a record is linked to, from either side. */
export const readLinks = async (
  tx: Tx,
  { kind, ids }: { kind: 'deviation' | 'capa'; ids: readonly number[] },
): Promise<{ id: number; other_kind: string; other_id: number; relation: string }[]> => {
  const of = sql`any(${list(ids)}::bigint[])`
  const { rows } =
    kind === 'deviation'
      ? await sql<{ id: number; other_kind: string; other_id: number; relation: string }>`
    select deviation_id as id, 'document' as other_kind, document_id as other_id, relation from deviation_documents where deviation_id = ${of}
    union all select deviation_id, 'capa', capa_id, relation from deviation_capas where deviation_id = ${of}
    union all select deviation_id, 'deviation', other_id, relation from deviation_deviations where deviation_id = ${of}`.execute(
          tx,
        )
      : await sql<{ id: number; other_kind: string; other_id: number; relation: string }>`
    select capa_id as id, 'document' as other_kind, document_id as other_id, relation from capa_documents where capa_id = ${of}`.execute(
          tx,
        )
  return rows
}

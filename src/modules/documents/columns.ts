import { type SqlBool, sql } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import { personOf, storedFileOf } from '#platform/db/expressions.ts'
import type { Sight } from './rules.ts'
import type { Content } from './schema.ts'

export type OwnSight = Pick<Sight, 'drafts' | 'userId'>

/** `l`, the newest version, is under way beside the one that is shown, and the person may see it. */
export const isPending = ({ drafts, userId }: OwnSight) =>
  sql<SqlBool>`(l.id <> v.id and l.status_kind in ('initial', 'review')
    and (${drafts} or d.owner_id = ${userId} or l.created_by = ${userId}))`

/** The version that the workflow of `d` is about: the newest, `l`, while it is under way, else the one that is shown. */
export const idAtWork = sql<number>`case when l.status_kind in ('initial', 'review') then l.id else d.shown_version_id end`

export const fileOf = storedFileOf('v').as('file')

export const contentOf =
  sql<Content>`(select jsonb_build_object('status', x.status, 'reason', x.reason, 'pages', x.pages,
  'language', x.language, 'by_ocr', x.by_ocr) from document_texts x where x.version_id = v.id)`.as('content')

export const summaryColumns = [
  'd.id',
  'd.number',
  'd.created_at',
  'd.updated_at',
  'd.revision',
  'v.version',
  'v.status',
  'v.title',
  'v.category',
  'v.keywords',
  'v.file_key as file_path',
  'v.effective_date',
  'v.review_due_date',
  'v.needs_revision',
] as const

export const summaryParts = (sight: OwnSight) => [
  sql<{ id: number; name: string }>`(select jsonb_build_object('id', id, 'name', name) from document_types
    where id = d.document_type_id)`.as('document_type'),
  sql<Person>`${personOf('d.owner_id')}`.as('owner'),
  sql<string | null>`case when v.status_kind = 'effective' then v.version end`.as('effective_version'),
  sql<{ version: string; status: string; effective_date: string | null } | null>`case when ${isPending(sight)}
    then jsonb_build_object('version', l.version, 'status', l.status, 'effective_date', l.effective_date) end`.as(
    'pending_version',
  ),
  personOf('d.created_by').as('created_by'),
  personOf('d.updated_by').as('updated_by'),
]

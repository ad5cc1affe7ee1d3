import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

/** Number, title and state of a document for a notification: of this version, or else of the newest. */
export const subjectOf = (tx: Tx, id: number, version: string | undefined) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', join =>
      join.onRef('v.tenant_id', '=', 'd.tenant_id').onRef('v.document_id', '=', 'd.id'),
    )
    .select(['d.number', 'v.title', 'v.version', 'v.status_kind as state_kind'])
    .select(
      sql<string>`coalesce((select state ->> 'label' from workflow_template_versions w, jsonb_array_elements(w.definition -> 'states') state
        where w.template_id = v.workflow_template_id and w.version = v.workflow_template_version and state ->> 'name' = v.status), v.status)`.as(
        'state',
      ),
    )
    .where('d.id', '=', id)
    .where(e => (version === undefined ? e('v.id', '=', e.ref('d.latest_version_id')) : e('v.version', '=', version)))
    .executeTakeFirst()

import assert from 'node:assert/strict'
import type { World } from '../world/world.ts'

/** The index as a query over the records themselves computes it. */
const computed = `
  select v.tenant_id, v.id as version_id, d.id as document_id, d.number, lower(unaccent(v.title)) as title, d.document_type_id, v.category,
    v.status, v.status_kind, d.owner_id, v.created_by,
    case when v.effective_at is null then (v.created_at at time zone 'UTC')::date else v.effective_date end as listed_on,
    v.id = coalesce(d.effective_version_id, d.latest_version_id) as is_shown,
    coalesce(d.training_gate, t.training_gate) = 'before_access' as is_restricted,
    ts_filter(label_words(d.number, v.title, v.keywords, v.description), '{a,b}')::text as label
  from document_versions v join documents d on d.id = v.document_id join document_types t on t.id = d.document_type_id`
const kept = `
  select tenant_id, version_id, document_id, number, title, document_type_id, category, status, status_kind, owner_id, created_by, listed_on,
    is_shown, is_restricted, ts_filter(words, '{a,b}')::text as label from document_index`

/**
 * Documents are found by their present text. Positions of words are counted on from those of the text, so only the set of words can
 * be compared.
 */
export async function assertIndexed(world: World) {
  assert.deepEqual(
    await world.rows(`select version_id, to_jsonb(k) as kept, to_jsonb(c) as computed from (${kept}) k full join (${computed}) c using (version_id)
      where to_jsonb(k) - 'label' is distinct from to_jsonb(c) - 'label' or strip(k.label::tsvector) <> strip(c.label::tsvector)`),
    [],
  )
}

import type { Writing } from '#action'
import { findTemplate, insertTemplate, insertVersion } from './queries.ts'
import { starterForm } from './starter.ts'

/** The form with which a new tenant can report deviations at once. */
export async function seedForms({ tx, record }: Writing) {
  const { name, description, sections } = starterForm
  const { id } = (await insertTemplate(tx, { name, description }))!
  await insertVersion(tx, { template_id: id, version: 1, sections, change_reason: null })
  record('form_template.created', id, { after: (await findTemplate(tx, id))! })
}

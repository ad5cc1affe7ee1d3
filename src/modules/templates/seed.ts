import type { Writing } from '#action'
import { variableOf } from './check.ts'
import { findTypeNamed, hasTemplates, insertTemplate, insertVersion, lockTenant } from './queries.ts'
import { readStarter } from './starter.ts'
import { readTemplate, recorded } from './view.ts'

/** What a quality unit writes every week, for a new tenant to begin with and to change as its own procedures ask. */
export async function seedTemplates({ tx, record }: Writing) {
  for (const { document_type, body, variables, ...fields } of readStarter()) {
    const type = document_type === null ? undefined : await findTypeNamed(tx, document_type)
    const { id } = await insertTemplate(tx, { ...fields, document_type_id: type?.id ?? null, is_builtin: true })
    await insertVersion(tx, { template_id: id, version: 1, body, variables: variables.map(variableOf) })
    record('content_template.created', id, { after: recorded(await readTemplate(tx, id)) })
  }
}

/** The same for a tenant of an older program, which has none; two processes that start together do it once. */
export async function completeTemplates(writing: Writing) {
  const { tx } = writing
  if (await hasTemplates(tx)) return
  await lockTenant(tx)
  if (!(await hasTemplates(tx))) await seedTemplates(writing)
}

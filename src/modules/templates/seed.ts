import type { Writing } from '#action'
import { variableOf } from './check.ts'
import { findTypeNamed, insertTemplate, insertVersion } from './queries.ts'
import { readStarter } from './starter.ts'
import { readTemplate, recorded } from './view.ts'

/** Starter templates of a new tenant, to be adapted to its own procedures. */
export async function seedTemplates({ tx, record }: Writing) {
  for (const { document_type, body, variables, ...fields } of readStarter()) {
    const type = document_type === null ? undefined : await findTypeNamed(tx, document_type)
    const { id } = await insertTemplate(tx, { ...fields, document_type_id: type?.id ?? null, is_builtin: true })
    await insertVersion(tx, {
      template_id: id,
      version: 1,
      change_reason: null,
      body,
      variables: variables.map(variableOf),
    })
    record('content_template.created', id, { after: recorded(await readTemplate(tx, id)) })
  }
}

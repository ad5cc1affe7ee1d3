import { conflict, notFound } from '#kernel/errors.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { findTemplate } from './queries.ts'
import type { Template } from './schema.ts'

export async function readTemplate(tx: Tx, id: number): Promise<Template> {
  const template = await findTemplate(tx, id)
  if (!template) throw notFound('Content template')
  return template
}

export function requireActive({ name, is_active }: Template) {
  if (!is_active) throw conflict(messages.template_deleted({ name }))
}

/** As the audit trail shows it. */
export const recorded = ({ document_type, ...template }: Template) => ({
  ...template,
  document_type: document_type?.name ?? null,
})

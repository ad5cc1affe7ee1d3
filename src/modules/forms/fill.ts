import type { Actor } from '#action'
import { conflict, invalid, notFound } from '#kernel/errors.ts'
import type { Tx } from '#platform/db/database.ts'
import { type FormValues, readValues } from './data-rules.ts'
import { messages } from './messages.ts'
import { checkPointers } from './pointers.ts'
import { findTemplate, findVersion } from './queries.ts'
import type { FormData, FormTemplateVersion } from './schema.ts'

/** The current version of the template, which a new record keeps. */
export async function beginForm(tx: Tx, template_id: number) {
  const template = await findTemplate(tx, template_id)
  if (!template) throw notFound('Form template')
  if (!template.is_active) throw conflict(messages.form_template_inactive({ name: template.name }))
  return { form_template_id: template.id, form_template_version: template.version }
}

export async function readForm(tx: Tx, id: number, version: number): Promise<FormTemplateVersion> {
  const found = await findVersion(tx, id, version)
  if (!found) throw notFound('Form template version')
  return found as FormTemplateVersion
}

interface FilledForm {
  form_template_id: number
  form_template_version: number
  form_data: FormData
  /** The record that files and images are attached to; null until it is stored. */
  owner: { deviation_id: number } | null
  /** Required files and images must be attached. */
  isComplete: boolean
  /** The stored values. An unchanged id stays, also if the person who changes other fields may not see its record. */
  before?: Readonly<Record<string, unknown>> | null
}

/** DEV-02: the values to store, or the 422 with each issue at `["body", "form_data", key]`. */
export async function checkFormData(
  tx: Tx,
  actor: Actor,
  { form_template_id, form_template_version, form_data, owner, isComplete, before }: FilledForm,
): Promise<FormValues> {
  const { sections } = await readForm(tx, form_template_id, form_template_version)
  const { values, pointers, issues } = readValues(sections, form_data, { isComplete })
  const given = pointers.filter(({ key, id }) => before?.[key] !== id)
  const all = [...issues, ...(await checkPointers(tx, actor, given, owner))]
  if (all.length > 0) throw invalid(...all)
  return values
}

// Which workflows a document type admits: each must ask for what the type asks for, now and after each change of either.
import { conflict, notFound } from '#kernel/errors.ts'
import type { Tx } from '#platform/db/database.ts'
import type { WorkflowDefinition } from './definition.ts'
import { messages } from './messages.ts'
import { type ApprovalMinimum, minimumOf, shortfallOf } from './minimum.ts'
import { findTemplate, holdTemplates, listTypesAdmitting } from './queries.ts'

interface Wanted {
  name: string
  controlled: boolean
  minimum_approval?: ApprovalMinimum | undefined
  /** The default workflow, and the others. */
  templates: readonly [number, ...number[]]
  /** Those that the type admits already, which may be inactive by now. */
  admitted?: readonly number[]
}

/** The least that the type asks for, by default what its default workflow does, after a check that each workflow asks for as much. */
export async function requireAdmissible(
  tx: Tx,
  { name, controlled, minimum_approval, templates, admitted = [] }: Wanted,
): Promise<ApprovalMinimum> {
  await holdTemplates(tx, templates)
  let minimum = minimum_approval
  for (const id of templates) {
    const template = await findTemplate(tx, id)
    if (!template) throw notFound('Workflow template')
    if (!template.is_active && !admitted.includes(id))
      throw conflict(messages.workflow_template_inactive({ name: template.name }))
    minimum ??= minimumOf(template.definition)
    const shortfall = shortfallOf({ name, controlled, minimum_approval: minimum }, template.name, template.definition)
    if (shortfall) throw conflict(shortfall)
  }
  return minimum!
}

/** The workflows besides the default one. A new default takes the place of the former one, unless it was one of the others. */
export function othersThan(
  id: number,
  asked: readonly number[] | undefined,
  before?: { workflow_template: { id: number }; workflow_templates: readonly { id: number }[] },
): number[] {
  const admitted = (before?.workflow_templates ?? []).map(each => each.id)
  const kept = admitted.includes(id) ? admitted : admitted.filter(each => each !== before?.workflow_template.id)
  return [...new Set(asked ?? kept)].filter(each => each !== id)
}

/** A workflow is not changed so that it asks for less than one of the types that admit it. The caller holds the template's lock. */
export async function requireEnoughForTypes(
  tx: Tx,
  { id, name }: { id: number; name: string },
  definition: WorkflowDefinition,
) {
  for (const type of await listTypesAdmitting(tx, id)) {
    const shortfall = shortfallOf(type, name, definition)
    if (shortfall) throw conflict(shortfall)
  }
}

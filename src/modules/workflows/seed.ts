import type { ActionContext } from '#action'
import { defaultPatternOf } from '#kernel/number-pattern.ts'
import { builtinTemplates, builtinTypes } from './builtin.ts'
import { minimumOf } from './minimum.ts'
import { findTemplate, findType, insertTemplate, insertTemplateVersion, insertType } from './queries.ts'

/** Gives a new tenant two workflow templates and eight document types to begin with. */
export async function seedWorkflows({ tx, record }: Pick<ActionContext<unknown>, 'tx' | 'record'>) {
  const templateIds = new Map<string, number>()
  for (const { name, description, definition } of builtinTemplates) {
    const { id } = (await insertTemplate(tx, { name, description, is_builtin: true }))!
    await insertTemplateVersion(tx, id, 1, definition)
    templateIds.set(name, id)
    record('workflow_template.created', id, { after: (await findTemplate(tx, id))! })
  }
  for (const { workflow_template, ...type } of builtinTypes) {
    const { definition } = builtinTemplates.find(({ name }) => name === workflow_template)!
    const { id } = (await insertType(tx, {
      ...type,
      workflow_template_id: templateIds.get(workflow_template)!,
      ...{ other_workflow_template_ids: [], controlled: true, minimum_approval: minimumOf(definition) },
      is_builtin: true,
      number_pattern: defaultPatternOf(type.prefix),
    }))!
    record('document_type.created', id, { after: (await findType(tx, id))! })
  }
}

import { isDeepStrictEqual } from 'node:util'
import { query } from '#action'
import { notFound } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { IdParams } from '#kernel/schema.ts'
import { readType } from './actions.ts'
import { messages } from './messages.ts'
import { countDocumentsOf, findTemplate } from './queries.ts'
import { DocumentTypeEffects, DocumentTypeUpdate } from './schema.ts'

const isOther = (asked: unknown, before: unknown) => asked !== undefined && !isDeepStrictEqual(asked, before)

export const documentTypeEffects = query({
  summary: 'What a change of a document type would do',
  description:
    'Takes the change as `PUT /api/document-types/{id}` does, and says what it would mean for the documents that exist. Nothing is stored, and the rules that the change itself is checked by are not asked.',
  permission: 'document_types.manage',
  input: { params: IdParams, body: DocumentTypeUpdate },
  response: DocumentTypeEffects,
  async run({ tx }, { params, body }) {
    const before = await readType(tx, params.id)
    const documents = await countDocumentsOf(tx, before.id)
    const { total, under_way, effective, own_gate } = documents
    const effects: Message[] = []
    if (body.workflow_template_id !== undefined && body.workflow_template_id !== before.workflow_template.id) {
      const template = await findTemplate(tx, body.workflow_template_id)
      if (!template) throw notFound('Workflow template')
      effects.push(messages.document_type_effect_workflow({ under_way, workflow: template.name }))
    }
    if (total === 0) return { documents, effects }
    if (isOther(body.name, before.name)) effects.push(messages.document_type_effect_name({ total }))
    const gate = body.training_gate ?? before.training_gate
    const isGateOther = gate !== before.training_gate
    if (isGateOther || (gate === 'before_effective' && isOther(body.training_threshold, before.training_threshold)))
      effects.push(messages.document_type_effect_gate({ concerned: total - own_gate, own: own_gate }))
    else if (gate === 'before_sign' && isOther(body.signing_program_ids, before.signing_program_ids))
      effects.push(messages.document_type_effect_programs({ under_way }))
    if (isOther(body.review_period_months, before.review_period_months))
      effects.push(messages.document_type_effect_review({ effective }))
    if (body.is_active === false && before.is_active) effects.push(messages.document_type_effect_inactive({ total }))
    return { documents, effects }
  },
})

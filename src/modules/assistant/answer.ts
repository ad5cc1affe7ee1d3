import type { PrepareContext } from '#action'
import type { LanguageModel } from '#platform/models/language-model.ts'
import { type Answered, disclaimer } from './ask.ts'
import type { Answer } from './schema.ts'

export const answerOf = (
  { origin }: Pick<PrepareContext, 'origin'>,
  { provider, model }: LanguageModel,
  { answer, citations, grounded, is_cut }: Answered,
): Answer => ({ answer, citations, grounded, is_cut, provider, model, request_id: origin.requestId, disclaimer })

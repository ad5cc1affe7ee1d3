import type { Fault } from './draft.ts'
import { useFormWords } from './words.ts'

/** The service's sentence, except where it can only use names that no page shows. */
export function FaultText({ of: { code, place, text } }: { of: Fault }) {
  const w = useFormWords()
  if (place === 'fields') return w.emptySection
  if (/^form_condition_(field_unknown|field_not_select|option_unknown)$/.test(code)) return w.conditionGone
  return text
}

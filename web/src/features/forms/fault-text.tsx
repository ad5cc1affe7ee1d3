import type { Fault } from './draft.ts'
import { useFormWords } from './words.ts'

/** What the service says, but for what it can only say by names that no page shows. */
export function FaultText({ of: { code, place, text } }: { of: Fault }) {
  const w = useFormWords()
  if (place === 'fields') return w.emptySection
  if (/^form_condition_(field_unknown|field_not_select|option_unknown)$/.test(code)) return w.conditionGone
  return text
}

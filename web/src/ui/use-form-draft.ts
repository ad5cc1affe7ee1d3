import { useDraft } from './use-draft.ts'

/** The fields of a form. What differs from the record is kept as a draft, so that it outlives a reload and somebody else's change. */
export function useFormDraft<T extends object>(key: string, initial: T) {
  const [typed, setTyped] = useDraft(key)
  const changes = (typed ? JSON.parse(typed) : {}) as Partial<T>
  return {
    fields: { ...initial, ...changes },
    change: (next: Partial<T>) => setTyped(JSON.stringify({ ...changes, ...next })),
    forget: () => setTyped(''),
    /** Something was typed, here or before a reload. */
    isTyped: typed !== '',
  }
}

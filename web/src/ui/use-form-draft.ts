import { useRef } from 'react'
import { useDraft } from './use-draft.ts'

/** The fields of a form. What differs from the record is kept as a draft, so that it outlives a reload and somebody else's change. */
export function useFormDraft<T extends object>(key: string, initial: T) {
  const [typed, setTyped] = useDraft(key)
  const changes = (typed ? JSON.parse(typed) : {}) as Partial<T>
  // A field may tell of its change by what it was given before another field changed: neither must undo the other.
  const latest = useRef(changes)
  latest.current = changes
  return {
    fields: { ...initial, ...changes },
    change: (next: Partial<T>) => {
      latest.current = { ...latest.current, ...next }
      setTyped(JSON.stringify(latest.current))
    },
    forget: () => {
      latest.current = {}
      setTyped('')
    },
    /** Something was typed, here or before a reload. */
    isTyped: typed !== '',
  }
}

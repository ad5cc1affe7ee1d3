import { useMemo, useRef, useState } from 'react'
import type { Definition, Names } from '../../records/workflow/definition.ts'
import { useFormDraft } from '../../ui/use-form-draft.ts'

/** What is being designed: kept in this tab over a reload, with the revision that it was made from. */
export interface Design {
  name: string
  description: string
  definition: Definition
  /** Of the people and groups that were chosen, beside those that the service names. */
  names: Names
  revision: number
}

type Edit = Partial<Pick<Design, 'name' | 'description' | 'definition' | 'names'>>
type Step = Pick<Design, 'name' | 'description' | 'definition' | 'names'>

const most_steps = 200

/** The design with a way back. Letters that are typed one after the other into one field are one step. */
export function useDesign(key: string, initial: Design) {
  const { fields: kept, change, forget, isTyped } = useFormDraft<Design>(key, initial)
  // The draft is read anew each time; what did not change must stay the same, or the picture would be laid out at every letter.
  const text = JSON.stringify(kept)
  const fields = useMemo(() => JSON.parse(text) as Design, [text])
  const [past, setPast] = useState<Step[]>([])
  const [future, setFuture] = useState<Step[]>([])
  const typedIn = useRef<string>(undefined)
  const now = ({ name, description, definition, names }: Design): Step => ({ name, description, definition, names })
  const edit = (next: Edit, field?: string) => {
    if (field === undefined || typedIn.current !== field) setPast([...past, now(fields)].slice(-most_steps))
    typedIn.current = field
    setFuture([])
    // The revision goes along: the design is of what was there when it began.
    change({ ...next, revision: fields.revision })
  }
  const step = (from: Step[], setFrom: typeof setPast, to: Step[], setTo: typeof setPast) => () => {
    const next = from.at(-1)
    if (!next) return
    typedIn.current = undefined
    setFrom(from.slice(0, -1))
    setTo([...to, now(fields)])
    change(next)
  }
  return {
    design: fields,
    isTyped,
    edit,
    undo: step(past, setPast, future, setFuture),
    redo: step(future, setFuture, past, setPast),
    canUndo: past.length > 0,
    canRedo: future.length > 0,
    /** On top of what somebody else has stored meanwhile. */
    rebase: (revision: number) => change({ revision }),
    forget: () => {
      setPast([])
      setFuture([])
      forget()
    },
  }
}
export type Designing = ReturnType<typeof useDesign>

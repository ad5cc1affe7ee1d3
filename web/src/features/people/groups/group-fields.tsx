import { useState } from 'react'
import type { Problem } from '../../../api/problem.ts'
import { bindingOf } from '../../../ui/binding.ts'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { usePeopleWords } from '../words.ts'
import { type GroupType, groupTypes } from './search.ts'

interface Group {
  name: string
  description: string
  group_type: GroupType
}

/** What a group is called and is for. */
export function useGroupFields(initial: Group = { name: '', description: '', group_type: 'custom' }) {
  const [fields, setFields] = useState(initial)
  const [isTried, setTried] = useState(false)
  return {
    fields,
    change: (next: Partial<Group>) => setFields({ ...fields, ...next }),
    isMissing: isTried && fields.name.trim() === '',
    isComplete: () => {
      setTried(true)
      return fields.name.trim() !== ''
    },
    body: () => ({ ...fields, name: fields.name.trim() }),
  }
}

export function GroupFields({ of: form, problem }: { of: ReturnType<typeof useGroupFields>; problem: Problem | null }) {
  const { groups: w } = usePeopleWords()
  const { fields, change } = form
  const bind = bindingOf(fields, change)
  return (
    <>
      <Field
        label={w.name}
        isRequired
        autoFocus
        maxLength={120}
        {...bind('name')}
        wrong={problem?.of('name') ?? (form.isMissing ? w.nameMissing : undefined)}
      />
      <Select
        label={w.type}
        options={groupTypes.map(id => ({ id, name: w.types[id] }))}
        value={fields.group_type}
        onChange={next => change({ group_type: groupTypes.find(each => each === next) ?? 'custom' })}
        wrong={problem?.of('group_type')}
      />
      <Field label={w.description} rows={2} maxLength={2000} {...bind('description', problem)} />
    </>
  )
}

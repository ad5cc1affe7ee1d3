import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Problem } from '../../../api/problem.ts'
import { askAll } from '../../../api/queries.ts'
import { PersonField } from '../../../records/fields/person-field.tsx'
import { bindingOf } from '../../../ui/binding.ts'
import { Field } from '../../../ui/field.tsx'
import type { PersonShape } from '../../../ui/person.tsx'
import { Select } from '../../../ui/select.tsx'
import { useMe } from '../../session/session.ts'
import { usePeopleWords } from '../words.ts'

interface Fields {
  username: string
  full_name: string
  role: string
  owner: number | undefined
}

/** What a machine's account is. */
export function useAccountFields(initial: Fields = { username: '', full_name: '', role: '', owner: undefined }) {
  const [fields, setFields] = useState(initial)
  const [isTried, setTried] = useState(false)
  return {
    fields,
    isTried,
    change: (next: Partial<Fields>) => setFields(before => ({ ...before, ...next })),
    isComplete: () => {
      setTried(true)
      return fields.username.trim() !== '' && fields.full_name.trim() !== '' && fields.owner !== undefined
    },
    body: () => ({
      username: fields.username.trim(),
      full_name: fields.full_name.trim(),
      ...(fields.role && { role_id: Number(fields.role) }),
      owner_id: fields.owner!,
    }),
  }
}

interface Props {
  of: ReturnType<typeof useAccountFields>
  problem: Problem | null
  isNew?: boolean
  owner?: PersonShape
}

export function AccountFields({ of: { fields, change, isTried }, problem, isNew = false, owner }: Props) {
  const { services: w, invite } = usePeopleWords()
  const { permissions } = useMe()
  const { data: roles = [] } = useQuery({
    ...askAll('GET /api/roles/', { query: { sort: 'name:asc' } }),
    enabled: permissions.includes('roles.read'),
  })
  const missing = (isMissing: boolean) => (isTried && isMissing ? w.required : undefined)
  const bind = bindingOf(fields, change)
  return (
    <>
      {isNew && (
        <Field
          label={w.username}
          hint={w.usernameHint}
          isRequired
          autoFocus
          maxLength={64}
          {...bind('username')}
          wrong={problem?.of('username') ?? missing(fields.username.trim() === '')}
        />
      )}
      <Field
        label={w.fullName}
        isRequired
        maxLength={200}
        {...bind('full_name')}
        wrong={problem?.of('full_name') ?? missing(fields.full_name.trim() === '')}
      />
      <PersonField
        label={w.owner}
        hint={w.ownerHint}
        chosen={owner}
        isRequired
        onChange={next => change({ owner: next })}
        wrong={problem?.of('owner_id') ?? missing(fields.owner === undefined)}
      />
      <Select
        label={w.role}
        hint={w.roleHint}
        options={roles.map(({ id, name, description }) => ({ id: String(id), name, detail: description }))}
        value={fields.role}
        placeholder={invite.usual}
        onChange={role => change({ role })}
        wrong={problem?.of('role_id')}
      />
    </>
  )
}

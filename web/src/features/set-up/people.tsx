import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { askAll, refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useMe } from '../session/session.ts'
import { PartLink } from './part-link.tsx'
import styles from './set-up.module.css'
import { useSetUpWords } from './words.ts'

type Way = 'one' | 'many' | 'byProvider'

export function People({ people, hasMail }: { people: Answer<'GET /api/set-up/'>['people']; hasMail: boolean }) {
  const { people: w, notYours } = useSetUpWords()
  const { permissions } = useMe()
  const [way, setWay] = useState<Way>('one')
  if (!permissions.includes('users.manage')) return <p className="soft">{notYours}</p>
  return (
    <>
      <p className="soft">{w.about}</p>
      <Choice
        label={w.how}
        value={way}
        onChange={value => setWay(value as Way)}
        options={(['one', 'many', 'byProvider'] as const).map(id => ({ id, name: w[id] }))}
      />
      {way === 'one' && <OnePerson hasMail={hasMail} />}
      {way === 'many' && (hasMail ? <ManyPeople /> : <p>{w.noMail}</p>)}
      {way === 'byProvider' && (
        <>
          <p>
            {w.provider} {people.has_provider && w.hasProvider}
          </p>
          <PartLink name="identityProviders" />
        </>
      )}
      <PartLink name="users" />
    </>
  )
}

const nobody = { full_name: '', username: '', email: '' }

function OnePerson({ hasMail }: { hasMail: boolean }) {
  const { people: w } = useSetUpWords()
  const client = useQueryClient()
  const { data: roles = [] } = useQuery(askAll('GET /api/roles/', {}))
  const [given, setGiven] = useState(nobody)
  const [role, setRole] = useState('')
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useMutation<unknown, Problem>({
    mutationFn() {
      const body = { ...given, ...(role && { role_id: Number(role) }) }
      return hasMail
        ? call('POST /api/users/invite', { body })
        : call('POST /api/users/', { body: { ...body, password } })
    },
    async onSuccess() {
      announce(hasMail ? w.invited(given.full_name) : w.added(given.full_name))
      setGiven(nobody)
      setPassword('')
      await refresh(client, 'set-up/', 'users/', 'roles/')
    },
  })
  const submit = () => {
    if (!isPending) mutate()
  }
  const field = (name: keyof typeof given) => ({
    value: given[name],
    onChange: (value: string) => setGiven({ ...given, [name]: value }),
    wrong: error?.of(name),
    isRequired: true,
    autoComplete: 'off',
  })
  return (
    <Form onSend={submit}>
      {error && error.issues.length === 0 && <Refused error={error} />}
      <div className={styles.pair}>
        <Field label={w.fullName} {...field('full_name')} />
        <Field label={w.username} spellCheck="false" {...field('username')} />
        <Field label={w.email} type="email" {...field('email')} />
        <Select
          label={w.role}
          placeholder={w.chooseRole}
          isRequired
          value={role}
          onChange={setRole}
          options={roles.map(({ id, name, description }) => ({ id: String(id), name, detail: description }))}
          wrong={error?.of('role_id')}
        />
      </div>
      {!hasMail && (
        <Field
          label={w.password}
          hint={w.passwordHint}
          isRequired
          autoComplete="off"
          spellCheck="false"
          value={password}
          onChange={setPassword}
          wrong={error?.of('password')}
        />
      )}
      <Button type="submit" look="main" isPending={isPending}>
        {hasMail ? w.invite : w.add}
      </Button>
    </Form>
  )
}

const header = 'username,email,full_name,role'

/** A header of a list has its columns by name; what was copied without one gets it, with the separator of its first line. */
function withHeader(lines: string) {
  const [first = ''] = lines.split('\n')
  if (/user\W?name/i.test(first)) return { csv: lines, before: 0 }
  const separator = ['\t', ';'].find(each => first.includes(each)) ?? ','
  return { csv: `${header.replaceAll(',', separator)}\n${lines}`, before: 1 }
}

function ManyPeople() {
  const { people: w } = useSetUpWords()
  const client = useQueryClient()
  const [lines, setLines] = useState('')
  const { csv, before } = withHeader(lines.trim())
  const { mutate, isPending, error } = useMutation<Answer<'POST /api/users/invite-many'>, Problem>({
    mutationFn: () => call('POST /api/users/invite-many', { body: { csv } }),
    async onSuccess({ invited }) {
      announce(w.invitedAll(invited.length))
      setLines('')
      await refresh(client, 'set-up/', 'users/', 'roles/')
    },
  })
  const submit = () => {
    if (!isPending) mutate()
  }
  // Each issue stands at a line of the list as the service got it.
  const wrong = error?.issues
    .map(({ loc, msg }) => {
      const line = loc.find(each => typeof each === 'number')
      return line === undefined ? msg : w.line(Number(line) - before, msg)
    })
    .join('\n')
  return (
    <Form onSend={submit}>
      {error && error.issues.length === 0 && <Refused error={error} />}
      <Field
        label={w.lines}
        hint={w.linesHint}
        rows={6}
        isRequired
        spellCheck="false"
        value={lines}
        onChange={setLines}
        wrong={wrong || undefined}
      />
      <p className="soft">
        <code>{w.linesExample}</code>
      </p>
      <Button type="submit" look="main" isPending={isPending}>
        {w.inviteAll}
      </Button>
    </Form>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { Card } from '../session/card.tsx'
import { NewPassword } from '../session/new-password.tsx'
import { logIn } from '../session/session.ts'
import { useSetUpWords } from './words.ts'

/** Of a company that has no settings yet. */
const shortestPassword = 12
const fields = ['code', 'company', 'full_name', 'username', 'email', 'password']

/** The first page of an empty installation: whoever can read the log of the service makes the company. */
export function FirstStartPage() {
  const { first: w } = useSetUpWords()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { data: options } = useQuery(ask('GET /api/auth/options', { query: {} }))
  const [given, setGiven] = useState({ code: '', company: '', full_name: '', username: '', email: '' })
  const [password, setPassword] = useState('')
  const attempt = useMutation<void, Problem>({
    async mutationFn() {
      const { code, company, ...admin } = given
      await call('POST /api/auth/first-start', { body: { code, company, admin: { ...admin, password } } })
      await logIn(client, { username: admin.username, password })
    },
    onSuccess: () => navigate({ to: paths.setUp, replace: true }),
  })
  const { error } = attempt
  if (options?.first_start === false && attempt.isIdle)
    return (
      <Card title={w.title} about={w.over}>
        <Link to={paths.signIn}>{w.signIn}</Link>
      </Card>
    )
  const submit = () => {
    if (!attempt.isPending) attempt.mutate()
  }
  const field = (name: keyof typeof given) => ({
    value: given[name],
    onChange: (value: string) => setGiven({ ...given, [name]: value }),
    wrong: error?.of(name),
    isRequired: true,
  })
  return (
    <Card title={w.title} about={w.about}>
      <Form onSend={submit}>
        {error && (error.issues.length === 0 || error.beside(fields) !== undefined) && <Refused error={error} />}
        <Field label={w.code} hint={w.codeHint} autoComplete="off" spellCheck="false" autoFocus {...field('code')} />
        <Field label={w.company} autoComplete="organization" {...field('company')} />
        <Field label={w.fullName} hint={w.fullNameHint} autoComplete="name" {...field('full_name')} />
        <Field
          label={w.username}
          hint={w.usernameHint}
          autoComplete="username"
          spellCheck="false"
          {...field('username')}
        />
        <Field label={w.email} type="email" autoComplete="email" {...field('email')} />
        <NewPassword
          value={password}
          onChange={setPassword}
          minLength={shortestPassword}
          wrong={error?.of('password')}
        />
        <Button type="submit" look="main" isPending={attempt.isPending}>
          {w.submit}
        </Button>
      </Form>
    </Card>
  )
}

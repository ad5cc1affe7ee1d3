import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { FileUp } from 'lucide-react'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { call } from '../../../api/client.ts'
import type { Problem } from '../../../api/problem.ts'
import { askAll } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import form from '../../../records/form-page.module.css'
import { RecordHead } from '../../../records/record-head.tsx'
import page from '../../../records/record-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/choice.tsx'
import { Field } from '../../../ui/field.tsx'
import { Form } from '../../../ui/form.tsx'
import { NotPermitted, Refused } from '../../../ui/notes.tsx'
import { Select } from '../../../ui/select.tsx'
import { announce } from '../../../ui/toasts.tsx'
import { useFormDraft } from '../../../ui/use-form-draft.ts'
import { useTitle } from '../../../ui/use-title.ts'
import { useMe, useWhyNot } from '../../session/session.ts'
import { useRefresh } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'
import { faultsOf, linesOf } from './lines.ts'

type Way = 'one' | 'many' | 'password'

/** How somebody gets an account. */
export function NewUserPage() {
  const { invite: w, user } = usePeopleWords()
  const { features } = useMe()
  const whyNot = useWhyNot('users.manage')
  const [way, setWay] = useState<Way>(features.mail ? 'one' : 'password')
  useTitle(w.title)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  return (
    <div className={page.page}>
      <RecordHead list={paths.users} back={user.back} title={w.title} state={null} />
      <div className={form.form}>
        <Choice
          label={w.how}
          options={(['one', 'many', 'password'] as const).map(id => ({
            id,
            name: w.ways[id],
            detail: id !== 'password' && !features.mail ? w.noMail : w.wayHints[id],
            isDisabled: id !== 'password' && !features.mail,
          }))}
          value={way}
          onChange={setWay}
        />
      </div>
      {way === 'many' ? <Many /> : <One key={way} way={way} />}
    </div>
  )
}

function One({ way }: { way: 'one' | 'password' }) {
  const { invite: w, user } = usePeopleWords()
  const { id: ownId, permissions, features } = useMe()
  const navigate = useNavigate()
  const refresh = useRefresh()
  const { data: roles = [] } = useQuery({
    ...askAll('GET /api/roles/', { query: { sort: 'name:asc' } }),
    enabled: permissions.includes('roles.read'),
  })
  const { fields, change, forget } = useFormDraft(`new user ${ownId}`, {
    full_name: '',
    username: '',
    email: '',
    role: '',
  })
  const [password, setPassword] = useState('')
  const [isTried, setTried] = useState(false)
  const { full_name, username, email, role } = fields
  const isComplete =
    full_name.trim() !== '' && username.trim() !== '' && email.trim() !== '' && (way === 'one' || password !== '')
  const { mutate, isPending, error } = useMutation<{ id: number }, Problem>({
    mutationFn: () => {
      const body = {
        username: username.trim(),
        email: email.trim(),
        full_name: full_name.trim(),
        ...(role && { role_id: Number(role) }),
      }
      return way === 'one'
        ? call('POST /api/users/invite', { body })
        : call('POST /api/users/', { body: { ...body, password } })
    },
    onSuccess: async ({ id }) => {
      forget()
      announce((way === 'one' ? w.invited : w.created)(full_name.trim()))
      await refresh()
      void navigate({ to: paths.user, params: { id } })
    },
    onError: () => setPassword(''),
  })
  const send = () => {
    setTried(true)
    if (!isPending && isComplete) mutate()
  }
  const missing = (value: string) => (isTried && value.trim() === '' ? w.required : undefined)
  return (
    <Form className={form.form} onSend={send} noValidate>
      <Field
        label={user.fullName}
        isRequired
        maxLength={200}
        autoComplete="off"
        value={full_name}
        onChange={next => change({ full_name: next })}
        wrong={error?.of('full_name') ?? missing(full_name)}
      />
      <Field
        label={w.username}
        hint={w.usernameHint}
        isRequired
        maxLength={64}
        autoComplete="off"
        value={username}
        onChange={next => change({ username: next })}
        wrong={error?.of('username') ?? missing(username)}
      />
      <Field
        label={user.email}
        type="email"
        isRequired
        maxLength={254}
        autoComplete="off"
        value={email}
        onChange={next => change({ email: next })}
        wrong={error?.of('email') ?? missing(email)}
      />
      {roles.length > 0 && permissions.includes('roles.assign') && (
        <Select
          label={w.role}
          options={roles.map(({ id, name, description }) => ({ id: String(id), name, detail: description }))}
          value={role}
          onChange={next => change({ role: next })}
          placeholder={w.usual}
          wrong={error?.of('role_id')}
        />
      )}
      {way === 'password' && (
        <Field
          label={w.password}
          hint={w.passwordHint(features.password.min_length)}
          type="password"
          autoComplete="new-password"
          isRequired
          value={password}
          onChange={setPassword}
          wrong={error?.of('password') ?? missing(password)}
        />
      )}
      {error && error.issues.length === 0 && <Refused error={error} />}
      <div className={styles.tools}>
        <Button type="submit" look="main" isPending={isPending}>
          {way === 'one' ? w.submitOne : w.submitPassword}
        </Button>
      </div>
    </Form>
  )
}

const columns = ['username', 'email', 'full_name', 'role'] as const
const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
const shownAtMost = 100

function Many() {
  const { invite: w, user } = usePeopleWords()
  const { id: ownId } = useMe()
  const navigate = useNavigate()
  const refresh = useRefresh()
  const { fields, change, forget } = useFormDraft(`new users ${ownId}`, { csv: '' })
  const { csv } = fields
  const [sent, setSent] = useState('')
  const { header, people } = linesOf(csv)
  const { mutate, isPending, error, reset } = useMutation<{ invited: unknown[] }, Problem>({
    mutationFn: () => {
      setSent(csv)
      return call('POST /api/users/invite-many', { body: { csv } })
    },
    onSuccess: async ({ invited }) => {
      forget()
      announce(w.invitedMany(invited.length))
      await refresh()
      void navigate({ to: paths.users, search: { invitation: ['queued', 'sent'] } })
    },
  })
  // A fault of an earlier text would stand at a wrong line.
  const faults = error && sent === csv ? faultsOf(error.issues) : new Map<number, string[]>()
  const ofList = faults.get(0)
  const faulty = [...faults.keys()].filter(line => line > 0)
  const shown = faulty.length > 0 ? people.filter(({ line }) => faults.has(line)) : people
  const write = (text: string) => {
    change({ csv: text })
    if (error) reset()
  }
  const cellOf = (cells: string[], column: (typeof columns)[number]) =>
    cells[header.findIndex(each => plain(each) === plain(column))] ?? ''
  const send = () => {
    if (!isPending && people.length > 0) mutate()
  }
  return (
    <Form className={`${form.form} ${styles.wide}`} onSend={send}>
      <Field
        label={w.list}
        hint={
          <>
            {w.listHint}
            <code className={styles.example}>{w.listExample}</code>
          </>
        }
        rows={8}
        isRequired
        spellCheck="false"
        value={csv}
        onChange={write}
        wrong={ofList?.join(' ')}
      />
      <div className={styles.tools}>
        <FileTrigger
          acceptedFileTypes={['.csv', 'text/csv', 'text/plain']}
          onSelect={files => void files?.[0]?.text().then(write)}
        >
          <Button icon={FileUp}>{w.file}</Button>
        </FileTrigger>
      </div>
      {error && error.issues.length === 0 && <Refused error={error} />}
      {faulty.length > 0 && <Refused>{w.faults(faulty.length)}</Refused>}
      {people.length > 0 && (
        <div className={styles.frame}>
          <table className={styles.table}>
            <caption className="visually-hidden">{w.preview}</caption>
            <thead>
              <tr>
                <th scope="col">{w.line}</th>
                {columns.map(each => (
                  <th key={each} scope="col">
                    {w.columns[each]}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, shownAtMost).map(({ line, cells }) => (
                <tr key={line} className={faults.has(line) ? styles.wrong : undefined}>
                  <th scope="row">{line}</th>
                  {columns.map(each => (
                    <td key={each}>
                      {cellOf(cells, each) || (each === 'role' && <span className="soft">{w.usual}</span>)}
                      {each === 'username' &&
                        faults.get(line)?.map(fault => (
                          <p key={fault} className={styles.fault}>
                            {fault}
                          </p>
                        ))}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length > shownAtMost && <p className="soft">{w.more(shown.length - shownAtMost)}</p>}
      <div className={styles.tools}>
        <Button onPress={() => void navigate({ to: paths.users })}>{user.back}</Button>
        <Button type="submit" look="main" isPending={isPending}>
          {w.submitMany(people.length)}
        </Button>
      </div>
    </Form>
  )
}

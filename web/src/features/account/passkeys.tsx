import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { NotRead, Refused } from '../../ui/notes.tsx'
import { CodeField, PasswordField } from '../../ui/secret-fields.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { type PasskeyError, PasskeyRefused } from '../session/passkey-refused.tsx'
import { useMe } from '../session/session.ts'
import { createPasskey } from '../session/webauthn.ts'
import styles from './account.module.css'
import { Section } from './section.tsx'

type Passkey = Answer<'GET /api/auth/passkeys/'>[number]

export function Passkeys() {
  const { passkeys: w } = useWords()
  const { data, error, refetch } = useQuery(ask('GET /api/auth/passkeys/', {}))
  const [open, setOpen] = useState<'new' | { act: 'rename' | 'revoke'; passkey: Passkey }>()
  const close = () => setOpen(undefined)
  const about = open === 'new' || open === undefined ? undefined : open
  return (
    <Section title={w.title} about={w.hint} action={<Button onPress={() => setOpen('new')}>{w.add}</Button>}>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={2} />
      ) : data.length === 0 ? (
        <p className={styles.none}>{w.none}</p>
      ) : (
        <ul className={styles.list}>
          {data.map(passkey => (
            <PasskeyLine key={passkey.id} passkey={passkey} onAct={act => setOpen({ act, passkey })} />
          ))}
        </ul>
      )}
      <Dialog isOpen={open === 'new'} onClose={close} title={w.addTitle} about={w.addHint}>
        <Registration onClose={close} />
      </Dialog>
      <Dialog isOpen={about?.act === 'rename'} onClose={close} title={w.renameTitle}>
        {about && <Rename passkey={about.passkey} onClose={close} />}
      </Dialog>
      <Dialog isOpen={about?.act === 'revoke'} onClose={close} title={w.revokeTitle} about={about?.passkey.name}>
        {about && <Revocation passkey={about.passkey} onClose={close} />}
      </Dialog>
    </Section>
  )
}

function PasskeyLine({ passkey, onAct }: { passkey: Passkey; onAct: (act: 'rename' | 'revoke') => void }) {
  const { passkeys: w } = useWords()
  const { day, ago } = useFormat()
  const { name, is_device_bound, created_at, last_used_at } = passkey
  return (
    <li>
      <KeyRound size={17} aria-hidden="true" />
      <div>
        <b>{name}</b>
        <p className="soft">
          {is_device_bound ? w.onDevice : w.copied} · {w.since(day(created_at))}
          {last_used_at && ` · ${w.used(ago(last_used_at))}`}
        </p>
      </div>
      <div className={styles.acts}>
        <Button look="icon" label={w.rename(name)} icon={Pencil} onPress={() => onAct('rename')} />
        <Button look="icon" label={w.revoke(name)} icon={Trash2} onPress={() => onAct('revoke')} />
      </div>
    </li>
  )
}

/** Soon after a log-in the service takes that for proof of who registers; later it asks for the password, and then so does the form. */
function Registration({ onClose }: { onClose: () => void }) {
  const { passkeys: w, common } = useWords()
  const { totp_enrolled } = useMe()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [otp, setOtp] = useState('')
  const [isAsked, setAsked] = useState(false)
  const { mutate, isPending, error } = useMutation<Passkey, PasskeyError>({
    mutationFn: async () => {
      const options = await call('POST /api/auth/passkeys/options', {
        body: { ...(password && { password }), ...(otp && { otp }) },
      })
      const response = await createPasskey(options)
      return call('POST /api/auth/passkeys/', { body: { name: name.trim(), response } })
    },
    onSuccess: passkey => {
      announce(w.added(passkey.name))
      onClose()
      return refresh(client, 'auth/passkeys/')
    },
    onError: problem => {
      setPassword('')
      setOtp('')
      if (problem instanceof Problem && problem.status === 401) setAsked(true)
    },
  })
  const submit = () => {
    if (!isPending) mutate()
  }
  const problem = error instanceof Problem ? error : undefined
  return (
    <Form onSend={submit}>
      {error && (!problem || problem.issues.length === 0) && <PasskeyRefused error={error} />}
      <Field
        label={w.name}
        hint={w.nameHint}
        autoFocus
        isRequired
        maxLength={80}
        value={name}
        onChange={setName}
        wrong={problem?.of('name')}
      />
      {isAsked && <PasswordField value={password} onChange={setPassword} wrong={problem?.of('password')} />}
      {isAsked && totp_enrolled && <CodeField isRequired value={otp} onChange={setOtp} wrong={problem?.of('otp')} />}
      <DialogButtons>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button type="submit" look="main" isPending={isPending}>
          {w.add}
        </Button>
      </DialogButtons>
    </Form>
  )
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { passkeys: w, common } = useWords()
  const client = useQueryClient()
  const [name, setName] = useState(passkey.name)
  const { mutate, isPending, error } = useMutation<Passkey, Problem>({
    mutationFn: () => call('PUT /api/auth/passkeys/{id}', { path: { id: passkey.id }, body: { name: name.trim() } }),
    onSuccess: () => {
      onClose()
      return refresh(client, 'auth/passkeys/')
    },
  })
  const submit = () => {
    if (!isPending) mutate()
  }
  return (
    <Form onSend={submit}>
      {error && error.of('name') === undefined && <Refused error={error} />}
      <Field
        label={w.name}
        autoFocus
        isRequired
        maxLength={80}
        value={name}
        onChange={setName}
        wrong={error?.of('name')}
      />
      <DialogButtons>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button type="submit" look="main" isPending={isPending}>
          {w.submitRename}
        </Button>
      </DialogButtons>
    </Form>
  )
}

function Revocation({ passkey: { id, name }, onClose }: { passkey: Passkey; onClose: () => void }) {
  const { passkeys: w, common } = useWords()
  const client = useQueryClient()
  const { mutate, isPending, error } = useMutation<void, Problem>({
    mutationFn: () => call('DELETE /api/auth/passkeys/{id}', { path: { id } }),
    onSuccess: () => {
      announce(w.revoked(name))
      onClose()
      return refresh(client, 'auth/passkeys/')
    },
  })
  return (
    <>
      <p>{w.revokeHint}</p>
      {error && <Refused error={error} />}
      <DialogButtons>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button look="danger" isPending={isPending} onPress={() => mutate()}>
          {w.submitRevoke}
        </Button>
      </DialogButtons>
    </>
  )
}

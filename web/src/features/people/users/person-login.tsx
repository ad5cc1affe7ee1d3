import { useQuery } from '@tanstack/react-query'
import { KeyRound, Link2, Monitor, SquareTerminal, Trash2, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Answer, call } from '../../../api/client.ts'
import { ask } from '../../../api/queries.ts'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { NotRead } from '../../../ui/notes.tsx'
import { nameOf } from '../../../ui/person.tsx'
import { Select } from '../../../ui/select.tsx'
import { useFormat } from '../../../words/index.ts'
import { useMe } from '../../session/session.ts'
import { Section, useRefresh } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'
import type { User } from './user-page.tsx'

/** How this person gets in, and where they are in now. */
export function PersonLogin({ of: user }: { of: User }) {
  const { user: w } = usePeopleWords()
  return (
    <>
      <Sessions of={user} />
      <Section title={w.factor} about={w.factorHint}>
        <p className={user.totp_enrolled ? undefined : styles.none}>
          {user.totp_enrolled ? w.factorSet : w.factorNone}
        </p>
      </Section>
      <Passkeys of={user} />
      <Identities of={user} />
    </>
  )
}

function Read<T>({
  of: { data, error, refetch },
  none,
  children,
}: {
  of: { data: T[] | undefined; error: Error | null; refetch: () => unknown }
  none: string
  children: (each: T) => ReactNode
}) {
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={2} />
  if (data.length === 0) return <p className={styles.none}>{none}</p>
  return <ul className={styles.list}>{data.map(children)}</ul>
}

function Sessions({ of: user }: { of: User }) {
  const { user: w } = usePeopleWords()
  const { ago, moment } = useFormat()
  const sessions = useQuery(ask('GET /api/users/{id}/sessions', { path: { id: user.id } }))
  const [isEnding, setEnding] = useState(false)
  return (
    <Section
      title={w.sessions}
      about={w.sessionsHint}
      action={
        sessions.data && sessions.data.length > 0 && <Button onPress={() => setEnding(true)}>{w.endSessions}</Button>
      }
    >
      <Read of={sessions} none={w.noSessions}>
        {({ id, kind, client_addr, user_agent, created_at, last_seen_at }) => (
          <li key={id}>
            <div>
              <b>
                {kind === 'browser' ? (
                  <Monitor size={15} aria-hidden="true" />
                ) : (
                  <SquareTerminal size={15} aria-hidden="true" />
                )}{' '}
                {kind === 'browser' ? w.browser : w.program}
              </b>
              <p className="soft" title={user_agent}>
                {client_addr} · <span title={moment(created_at)}>{w.begun(ago(created_at))}</span> ·{' '}
                <span title={moment(last_seen_at)}>{w.lastSeen(ago(last_seen_at))}</span>
              </p>
            </div>
          </li>
        )}
      </Read>
      {isEnding && (
        <ReasonDialog
          title={w.endSessions}
          about={nameOf(user)}
          revision={user.revision}
          submit={w.endSessions}
          look="danger"
          send={(revision, reason) =>
            call('POST /api/users/{id}/end-sessions', {
              path: { id: user.id },
              body: { revision, ...withReason(reason) },
            })
          }
          done={w.sessionsEnded}
          onClose={() => setEnding(false)}
        >
          {w.endSessionsHint}
        </ReasonDialog>
      )}
    </Section>
  )
}

type Passkey = Answer<'GET /api/users/{id}/passkeys'>[number]

function Passkeys({ of: user }: { of: User }) {
  const { user: w } = usePeopleWords()
  const { day, ago } = useFormat()
  const passkeys = useQuery(ask('GET /api/users/{id}/passkeys', { path: { id: user.id } }))
  const [revoking, setRevoking] = useState<Passkey>()
  return (
    <Section title={w.passkeys} about={w.passkeysHint}>
      <Read of={passkeys} none={w.noPasskeys}>
        {passkey => (
          <li key={passkey.id}>
            <div>
              <b>
                <KeyRound size={15} aria-hidden="true" /> {passkey.name}
              </b>
              <p className="soft">
                {passkey.is_device_bound ? w.onDevice : w.copied} · {w.since(day(passkey.created_at))}
                {passkey.last_used_at && ` · ${w.used(ago(passkey.last_used_at))}`}
              </p>
            </div>
            <Button look="icon" label={w.revoke(passkey.name)} icon={Trash2} onPress={() => setRevoking(passkey)} />
          </li>
        )}
      </Read>
      {revoking && (
        <ReasonDialog
          title={w.revokeTitle}
          about={revoking.name}
          revision={user.revision}
          submit={w.revokeSubmit}
          look="danger"
          hasReason={false}
          send={() =>
            call('DELETE /api/users/{id}/passkeys/{passkey_id}', { path: { id: user.id, passkey_id: revoking.id } })
          }
          done={w.revoked}
          onClose={() => setRevoking(undefined)}
        >
          {w.revokeHint}
        </ReasonDialog>
      )}
    </Section>
  )
}

type Identity = Answer<'GET /api/users/{id}/identities'>[number]

function Identities({ of: user }: { of: User }) {
  const { user: w } = usePeopleWords()
  const { day } = useFormat()
  const { permissions } = useMe()
  const identities = useQuery(ask('GET /api/users/{id}/identities', { path: { id: user.id } }))
  const [open, setOpen] = useState<'link' | Identity>()
  const close = () => setOpen(undefined)
  return (
    <Section
      title={w.identities}
      about={w.identitiesHint}
      action={
        permissions.includes('sso.manage') &&
        user.is_active && (
          <Button icon={Link2} onPress={() => setOpen('link')}>
            {w.link}
          </Button>
        )
      }
    >
      <Read of={identities} none={w.noIdentities}>
        {identity => (
          <li key={identity.id}>
            <div>
              <b>{identity.provider.name}</b>
              <p className="soft">
                {identity.subject} · {w.since(day(identity.linked_at))}
              </p>
            </div>
            <Button look="icon" label={w.unlink(identity.provider.name)} icon={X} onPress={() => setOpen(identity)} />
          </li>
        )}
      </Read>
      {open === 'link' && <LinkDialog of={user} onClose={close} />}
      {typeof open === 'object' && (
        <ReasonDialog
          title={w.unlink(open.provider.name)}
          about={nameOf(user)}
          revision={user.revision}
          submit={w.submitRemove}
          look="danger"
          send={(_, reason) =>
            call('DELETE /api/users/{id}/identities/{identity_id}', {
              path: { id: user.id, identity_id: open.id },
              body: withReason(reason),
            })
          }
          done={w.unlinked}
          onClose={close}
        >
          {w.unlinkHint}
        </ReasonDialog>
      )}
    </Section>
  )
}

function LinkDialog({ of: user, onClose }: { of: User; onClose: () => void }) {
  const { user: w, invite } = usePeopleWords()
  const { data: providers = [] } = useQuery(ask('GET /api/identity-providers/', {}))
  const [provider, setProvider] = useState('')
  const [subject, setSubject] = useState('')
  const [isTried, setTried] = useState(false)
  const refresh = useRefresh()
  const missing = (value: string) => (isTried && value.trim() === '' ? invite.required : undefined)
  return (
    <ReasonDialog
      title={w.linkTitle}
      about={nameOf(user)}
      revision={user.revision}
      submit={w.link}
      isComplete={() => {
        setTried(true)
        return provider !== '' && subject.trim() !== ''
      }}
      send={(_, reason) =>
        call('POST /api/users/{id}/identities', {
          path: { id: user.id },
          body: { provider_id: Number(provider), subject: subject.trim(), ...withReason(reason) },
        })
      }
      done={w.linked}
      onDone={() => void refresh()}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{w.linkHint}</p>
          <Select
            label={w.provider}
            options={providers.map(({ id, name }) => ({ id: String(id), name }))}
            value={provider}
            onChange={setProvider}
            isRequired
            wrong={problem?.of('provider_id') ?? missing(provider)}
          />
          <Field
            label={w.subject}
            hint={w.subjectHint}
            maxLength={255}
            isRequired
            value={subject}
            onChange={setSubject}
            wrong={problem?.of('subject') ?? missing(subject)}
          />
        </>
      )}
    </ReasonDialog>
  )
}

import { useQuery } from '@tanstack/react-query'
import {
  ArrowRightLeft,
  KeyRound,
  LifeBuoy,
  MailPlus,
  MailX,
  PenLine,
  UserRoundCheck,
  UserRoundCog,
  UserRoundX,
} from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/client.ts'
import { ask, askAll } from '../../../api/queries.ts'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Field } from '../../../ui/field.tsx'
import { Menu, MenuItem, MenuLine } from '../../../ui/menu.tsx'
import { nameOf } from '../../../ui/person.tsx'
import { Select } from '../../../ui/select.tsx'
import { useMe } from '../../session/session.ts'
import styles from '../people.module.css'
import { useSentences } from '../permissions.ts'
import { usePeopleWords } from '../words.ts'
import { DeactivateDialog } from './deactivate-dialog.tsx'
import type { User } from './user-page.tsx'

type Act =
  | 'details'
  | 'role'
  | 'reset'
  | 'invite'
  | 'withdraw'
  | 'deactivate'
  | 'reactivate'
  | 'handOver'
  | 'breakGlass'

/** What can be done with an account. What a role never does is not shown. */
export function UserActs({ of: user }: { of: User }) {
  const { user: w } = usePeopleWords()
  const { id: ownId, permissions, features } = useMe()
  const [act, setAct] = useState<Act>()
  const may = (permission: string) => permissions.includes(permission)
  const isOwn = user.id === ownId
  const isInvited = user.invitation !== null && user.invitation !== undefined && user.last_login_at === null
  const manages = may('users.manage')
  if (!manages && !may('roles.assign') && !may('sso.manage')) return null
  const close = () => setAct(undefined)
  const about = { of: user, onClose: close }
  return (
    <>
      <Menu label={w.actions} trigger={<Button icon={UserRoundCog}>{w.actions}</Button>}>
        {manages && <MenuItem icon={PenLine} name={w.details} onAction={() => setAct('details')} />}
        {may('roles.assign') && !isOwn && (
          <MenuItem icon={UserRoundCog} name={w.changeRole} onAction={() => setAct('role')} />
        )}
        {manages && user.is_active && !isOwn && (
          <MenuItem icon={KeyRound} name={w.resetPassword} onAction={() => setAct('reset')} />
        )}
        {manages && user.is_active && isInvited && features.mail && (
          <MenuItem icon={MailPlus} name={w.inviteAgain} onAction={() => setAct('invite')} />
        )}
        {manages && user.is_active && isInvited && (
          <MenuItem icon={MailX} name={w.withdraw} onAction={() => setAct('withdraw')} />
        )}
        {may('sso.manage') && user.is_active && (
          <MenuItem
            icon={LifeBuoy}
            name={user.is_break_glass ? w.endBreakGlass : w.makeBreakGlass}
            onAction={() => setAct('breakGlass')}
          />
        )}
        {manages && <MenuLine />}
        {manages && user.is_active && !isOwn && (
          <MenuItem icon={UserRoundX} name={w.deactivate} onAction={() => setAct('deactivate')} />
        )}
        {manages && !user.is_active && (
          <MenuItem icon={ArrowRightLeft} name={w.handOver} onAction={() => setAct('handOver')} />
        )}
        {manages && !user.is_active && (
          <MenuItem icon={UserRoundCheck} name={w.reactivate} onAction={() => setAct('reactivate')} />
        )}
      </Menu>
      {act === 'details' && <DetailsDialog {...about} />}
      {act === 'role' && <RoleDialog {...about} />}
      {act === 'reset' && <ResetDialog {...about} />}
      {(act === 'deactivate' || act === 'handOver') && <DeactivateDialog {...about} />}
      {act === 'invite' && (
        <ReasonDialog
          title={w.inviteAgain}
          about={nameOf(user)}
          revision={user.revision}
          submit={w.inviteAgain}
          send={(revision, reason) =>
            call('POST /api/users/{id}/invite', { path: { id: user.id }, body: { revision, ...withReason(reason) } })
          }
          done={w.inviteDone(user.email)}
          onClose={close}
        >
          {w.inviteHint}
        </ReasonDialog>
      )}
      {act === 'withdraw' && (
        <ReasonDialog
          title={w.withdraw}
          about={nameOf(user)}
          revision={user.revision}
          submit={w.withdraw}
          look="danger"
          send={(revision, reason) =>
            call('POST /api/users/{id}/withdraw-invitation', {
              path: { id: user.id },
              body: { revision, ...withReason(reason) },
            })
          }
          done={w.withdrawDone}
          onClose={close}
        >
          {w.withdrawHint}
        </ReasonDialog>
      )}
      {act === 'reactivate' && (
        <ReasonDialog
          title={w.reactivate}
          about={nameOf(user)}
          revision={user.revision}
          submit={w.reactivate}
          isRequired
          send={(revision, reason) =>
            call('POST /api/users/{id}/reactivate', {
              path: { id: user.id },
              body: { revision, ...withReason(reason) },
            })
          }
          done={w.reactivateDone(nameOf(user))}
          onClose={close}
        >
          {w.reactivateHint}
        </ReasonDialog>
      )}
      {act === 'breakGlass' && (
        <ReasonDialog
          title={user.is_break_glass ? w.endBreakGlass : w.makeBreakGlass}
          about={nameOf(user)}
          revision={user.revision}
          submit={user.is_break_glass ? w.endBreakGlass : w.makeBreakGlass}
          isRequired
          send={(revision, reason) =>
            call('PUT /api/users/{id}/break-glass', {
              path: { id: user.id },
              body: { is_break_glass: !user.is_break_glass, revision, ...withReason(reason) },
            })
          }
          done={(user.is_break_glass ? w.breakGlassEnded : w.breakGlassDone)(nameOf(user))}
          onClose={close}
        >
          {user.is_break_glass ? w.endBreakGlassHint : w.breakGlassHint}
        </ReasonDialog>
      )}
    </>
  )
}

interface Props {
  of: User
  onClose: () => void
}

function DetailsDialog({ of: user, onClose }: Props) {
  const { user: w } = usePeopleWords()
  const [name, setName] = useState(user.full_name ?? '')
  const [email, setEmail] = useState(user.email)
  const [isTried, setTried] = useState(false)
  return (
    <ReasonDialog
      title={w.details}
      about={user.username}
      revision={user.revision}
      submit={w.details}
      isRequired
      isComplete={() => {
        setTried(true)
        return name.trim() !== '' && email.trim() !== ''
      }}
      send={(revision, reason) =>
        call('PUT /api/users/{id}', {
          path: { id: user.id },
          body: { full_name: name.trim(), email: email.trim(), revision, ...withReason(reason) },
        })
      }
      done={w.detailsDone(name.trim())}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{w.detailsHint}</p>
          <Field
            label={w.fullName}
            maxLength={200}
            isRequired
            autoFocus
            value={name}
            onChange={setName}
            wrong={problem?.of('full_name') ?? (isTried && name.trim() === '' ? w.nameMissing : undefined)}
          />
          <Field
            label={w.email}
            type="email"
            maxLength={254}
            isRequired
            value={email}
            onChange={setEmail}
            wrong={problem?.of('email') ?? (isTried && email.trim() === '' ? w.emailMissing : undefined)}
          />
        </>
      )}
    </ReasonDialog>
  )
}

function RoleDialog({ of: user, onClose }: Props) {
  const { user: w } = usePeopleWords()
  const { data: roles = [] } = useQuery(askAll('GET /api/roles/', { query: { sort: 'name:asc' } }))
  const [role, setRole] = useState('')
  const [isTried, setTried] = useState(false)
  const chosen = roles.find(({ id }) => String(id) === role)
  return (
    <ReasonDialog
      title={w.changeRole}
      about={nameOf(user)}
      revision={user.revision}
      submit={w.changeRole}
      size="m"
      isRequired
      isComplete={() => {
        setTried(true)
        return chosen !== undefined && chosen.id !== user.role_id
      }}
      send={(revision, reason) =>
        call('PUT /api/users/{id}/role', {
          path: { id: user.id },
          body: { role_id: Number(role), revision, ...withReason(reason) },
        })
      }
      done={w.roleDone(nameOf(user), chosen?.name ?? '')}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{w.roleHint}</p>
          <Select
            label={w.role}
            options={roles
              .filter(({ id }) => id !== user.role_id)
              .map(({ id, name, description }) => ({ id: String(id), name, detail: description }))}
            value={role}
            onChange={setRole}
            isRequired
            wrong={problem?.of('role_id') ?? (isTried && role === '' ? w.roleSame : undefined)}
          />
          {chosen && <RoleDifference of={user} roleId={chosen.id} />}
        </>
      )}
    </ReasonDialog>
  )
}

/** What this person gains and loses with another role; what was granted or denied to them stays. */
function RoleDifference({ of: user, roleId }: { of: User; roleId: number }) {
  const { user: w } = usePeopleWords()
  const { data: now } = useQuery(ask('GET /api/users/{id}/permissions', { path: { id: user.id } }))
  const { data: role } = useQuery(ask('GET /api/roles/{id}', { path: { id: roleId } }))
  if (!now || !role) return null
  const after = new Set([...role.permissions, ...now.granted].filter(each => !now.denied.includes(each)))
  return (
    <Difference
      gained={[...after].filter(each => !now.permissions.includes(each))}
      lost={now.permissions.filter(each => !after.has(each))}
      words={{ gained: w.gains, lost: w.loses, none: w.nothingChanges }}
    />
  )
}

interface DifferenceProps {
  gained: string[]
  lost: string[]
  words: { gained: string; lost: string; none: string }
}

/** Permissions that come and go, by their sentences. */
export function Difference({ gained, lost, words }: DifferenceProps) {
  const sentence = useSentences()
  if (gained.length + lost.length === 0) return <p className="soft">{words.none}</p>
  return (
    <div className={styles.differences}>
      {(['gained', 'lost'] as const).map(kind => {
        const names = kind === 'gained' ? gained : lost
        return (
          names.length > 0 && (
            <div key={kind} className={styles[kind]}>
              <b>
                {words[kind]} ({names.length})
              </b>
              <ul>
                {names.map(each => (
                  <li key={each}>{sentence(each)}</li>
                ))}
              </ul>
            </div>
          )
        )
      })}
    </div>
  )
}

function ResetDialog({ of: user, onClose }: Props) {
  const { user: w, invite } = usePeopleWords()
  const { features } = useMe()
  const [password, setPassword] = useState('')
  const [removesTotp, setRemovesTotp] = useState(false)
  const [isTried, setTried] = useState(false)
  return (
    <ReasonDialog
      title={w.resetPassword}
      about={nameOf(user)}
      revision={user.revision}
      submit={w.resetPassword}
      look="danger"
      isRequired
      isComplete={() => {
        setTried(true)
        return features.mail || password !== ''
      }}
      send={(revision, reason) =>
        call('POST /api/users/{id}/reset-password', {
          path: { id: user.id },
          body: {
            ...(!features.mail && { temporary_password: password }),
            ...(removesTotp && { remove_totp: true }),
            revision,
            ...withReason(reason),
          },
        })
      }
      done={w.resetDone(nameOf(user))}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{features.mail ? w.resetByMail : w.resetByHand}</p>
          <p>{w.resetEffect}</p>
          {!features.mail && (
            <Field
              label={w.temporary}
              hint={invite.passwordHint(features.password.min_length)}
              type="password"
              autoComplete="new-password"
              isRequired
              value={password}
              onChange={setPassword}
              wrong={problem?.of('temporary_password') ?? (isTried && password === '' ? invite.required : undefined)}
            />
          )}
          {user.totp_enrolled && (
            <Checkbox isSelected={removesTotp} onChange={setRemovesTotp} detail={w.removeTotpHint}>
              {w.removeTotp}
            </Checkbox>
          )}
        </>
      )}
    </ReasonDialog>
  )
}

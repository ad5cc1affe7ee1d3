import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { BadgeCheck, Ban, LockKeyhole } from 'lucide-react'
import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { type Answer, call } from '../../../api/client.ts'
import { ask, askAll } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { ReasonDialog } from '../../../records/dialogs/reason-dialog.tsx'
import { type Fact, FactList } from '../../../records/fact-list.tsx'
import { RecordHead } from '../../../records/record-head.tsx'
import page from '../../../records/record-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { NotRead } from '../../../ui/notes.tsx'
import { nameOf } from '../../../ui/person.tsx'
import { Status } from '../../../ui/status.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { useFormat } from '../../../words/index.ts'
import { useMe } from '../../session/session.ts'
import { Mark, Section } from '../parts.tsx'
import styles from '../people.module.css'
import { usePeopleWords } from '../words.ts'
import { PersonLogin } from './person-login.tsx'
import { PersonPermissions } from './person-permissions.tsx'
import { PersonWork } from './person-work.tsx'
import { type UserTab, userSearch } from './search.ts'
import { UserActs } from './user-acts.tsx'
import { isLocked } from './users-page.tsx'

export type User = Answer<'GET /api/users/{id}'>

/** What may this person do, and why? */
export function UserPage() {
  const { user: w, users } = usePeopleWords()
  const { id } = useParams({ from: '/app/administration/admin/users/$id' })
  const { tab: asked } = useSearch({ from: '/app/administration/admin/users/$id' })
  const navigate = useNavigate({ from: paths.user })
  const { permissions } = useMe()
  const { moment } = useFormat()
  const { data: user, error, refetch } = useQuery(ask('GET /api/users/{id}', { path: { id } }))
  useTitle(user && nameOf(user))
  if (error || !user) return <NotRead error={error} onRetry={refetch} lines={12} />
  const manages = permissions.includes('users.manage')
  const tabs: UserTab[] = [
    ...(permissions.includes('roles.read') ? (['permissions'] as const) : []),
    ...(manages ? (['login', 'work'] as const) : []),
    ...(permissions.includes('groups.read') ? (['groups'] as const) : []),
  ]
  const tab = asked && tabs.includes(asked) ? asked : tabs[0]
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.users}
        back={w.back}
        title={nameOf(user)}
        actions={<UserActs of={user} />}
        state={
          <>
            <Status of={user.is_active ? 'active' : 'inactive'} />
            <span className="soft">{user.role}</span>
            {user.is_break_glass && <Mark>{users.breakGlass}</Mark>}
            {user.must_change_password && user.invitation === null && <Mark look="warn">{users.mustChange}</Mark>}
          </>
        }
      >
        {isLocked(user) && (
          <p className={styles.note}>
            <LockKeyhole size={15} aria-hidden="true" />
            <span>
              {w.locked(moment(user.locked_until!))}. {w.lockedHint}
            </span>
          </p>
        )}
      </RecordHead>
      <div className={page.columns}>
        {tab === undefined ? (
          <div />
        ) : (
          <Tabs
            className={page.tabs!}
            selectedKey={tab}
            onSelectionChange={key =>
              void navigate({ search: userSearch({ tab: key }), replace: true, resetScroll: false })
            }
          >
            <TabList aria-label={nameOf(user)} className={page.list!} data-print="none">
              {tabs.map(each => (
                <Tab key={each} id={each}>
                  {w.tabs[each]}
                </Tab>
              ))}
            </TabList>
            <TabPanel id="permissions" className={page.panel!}>
              <PersonPermissions of={user} />
            </TabPanel>
            <TabPanel id="login" className={page.panel!}>
              <PersonLogin of={user} />
            </TabPanel>
            <TabPanel id="work" className={page.panel!}>
              <PersonWork of={user} />
            </TabPanel>
            <TabPanel id="groups" className={page.panel!}>
              <Groups of={user} />
            </TabPanel>
          </Tabs>
        )}
        <div className={page.side}>
          <Signing of={user} />
          <Facts of={user} />
        </div>
      </div>
    </div>
  )
}

function Facts({ of: user }: { of: User }) {
  const { user: w, users, facts } = usePeopleWords()
  const { permissions } = useMe()
  const { day, moment } = useFormat()
  const { invitation, last_login_at, created_by, updated_by } = user
  const list: Fact[] = [
    [w.username, user.username],
    [w.email, user.email],
    [w.role, user.role],
    [
      w.invitation,
      invitation && (
        <>
          {users.invitations[invitation.status]}
          {invitation.invited_by && (
            <span className="soft"> {w.invitedBy(nameOf(invitation.invited_by), day(invitation.invited_at))}</span>
          )}
        </>
      ),
    ],
    ...(last_login_at === undefined
      ? []
      : ([[w.login, last_login_at === null ? w.never : moment(last_login_at)]] satisfies Fact[])),
    [w.created, `${day(user.created_at)}${created_by ? `, ${nameOf(created_by)}` : ''}`],
    [w.changed, `${day(user.updated_at)}${updated_by ? `, ${nameOf(updated_by)}` : ''}`],
  ]
  return (
    <section className={styles.side} aria-label={facts}>
      <h2>{facts}</h2>
      <FactList facts={list} />
      {permissions.includes('training.read_all') && (
        <p>
          <Link to={paths.trainingRecord} params={{ user_id: user.id } as never}>
            {w.record}
          </Link>
        </p>
      )}
    </section>
  )
}

/** Whether a signature of this person would be accepted, as far as the account decides it. */
function Signing({ of: user }: { of: User }) {
  const { user: w } = usePeopleWords()
  const { id: ownId, permissions } = useMe()
  const { day } = useFormat()
  const [isVerifying, setVerifying] = useState(false)
  const { data } = useQuery({
    ...ask('GET /api/users/{id}/permissions', { path: { id: user.id }, query: { explain: true } }),
    enabled: permissions.includes('roles.read'),
  })
  const { data: settings } = useQuery({
    ...ask('GET /api/settings/', {}),
    enabled: permissions.includes('settings.read'),
  })
  const { identity_verified: verified, identity_reset_at } = user
  const isReset = identity_reset_at !== null && identity_reset_at !== undefined
  const lacks = data && !data.permissions.includes('signatures.create')
  const isUnverified = verified === null && settings?.signature_identity_verified_required === true
  const cannot = !user.is_active || isReset || lacks || isUnverified
  return (
    <section className={styles.side} aria-labelledby="signing">
      <h2 id="signing">{w.signing}</h2>
      <FactList
        facts={[
          [
            w.ability,
            <Mark key="can" look={cannot ? 'warn' : 'good'}>
              {cannot ? <Ban size={12} aria-hidden="true" /> : <BadgeCheck size={12} aria-hidden="true" />}
              {cannot ? w.cannot : w.can}
            </Mark>,
          ],
          ['', lacks && w.noSigning],
          [
            w.identity,
            verified === undefined ? undefined : isReset ? (
              w.mustVerify
            ) : verified === null ? (
              isUnverified ? (
                w.verifyFirst
              ) : (
                w.notVerified
              )
            ) : (
              <>
                {w.verified(day(verified.at), verified.by ? nameOf(verified.by) : '–')}
                <br />
                <span className="soft">{w.verifiedBy(verified.method)}</span>
              </>
            ),
          ],
        ]}
      />
      {permissions.includes('users.verify_identity') && user.is_active && user.id !== ownId && (
        <Button onPress={() => setVerifying(true)}>{w.verify}</Button>
      )}
      {isVerifying && <VerifyDialog of={user} onClose={() => setVerifying(false)} />}
    </section>
  )
}

function VerifyDialog({ of: user, onClose }: { of: User; onClose: () => void }) {
  const { user: w } = usePeopleWords()
  const [method, setMethod] = useState('')
  const [isTried, setTried] = useState(false)
  const isMissing = method.trim() === ''
  return (
    <ReasonDialog
      title={w.verifyTitle}
      about={nameOf(user)}
      revision={user.revision}
      submit={w.verify}
      label={w.note}
      isComplete={() => {
        setTried(true)
        return !isMissing
      }}
      send={(_, note) =>
        call('POST /api/users/{id}/verify-identity', {
          path: { id: user.id },
          body: { method: method.trim(), ...(note !== undefined && { note }) },
        })
      }
      done={w.verifiedNow}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{w.verifyHint}</p>
          <Field
            label={w.method}
            hint={w.methodHint}
            maxLength={200}
            autoFocus
            isRequired
            value={method}
            onChange={setMethod}
            wrong={problem?.of('method') ?? (isTried && isMissing ? w.methodMissing : undefined)}
          />
        </>
      )}
    </ReasonDialog>
  )
}

function Groups({ of: user }: { of: User }) {
  const { user: w, groups } = usePeopleWords()
  const { data, error, refetch } = useQuery(
    askAll('GET /api/groups/', { query: { user_id: user.id, sort: 'name:asc' } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={4} />
  return (
    <Section title={w.groups}>
      {data.length === 0 ? (
        <p className={styles.none}>{w.noGroups}</p>
      ) : (
        <ul className={styles.list}>
          {data.map(({ id, name, group_type }) => (
            <li key={id}>
              <div>
                <Link to={paths.group} params={{ id }}>
                  {name}
                </Link>
                <p className="soft">{groups.types[group_type]}</p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

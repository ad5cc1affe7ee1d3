import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Ban, PenLine } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../../api/client.ts'
import { ask } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { ReasonDialog, withReason } from '../../../records/dialogs/reason-dialog.tsx'
import { FactList } from '../../../records/fact-list.tsx'
import { RecordHead } from '../../../records/record-head.tsx'
import page from '../../../records/record-page.module.css'
import { Button } from '../../../ui/button.tsx'
import { Loading, NotRead } from '../../../ui/notes.tsx'
import { nameOf, Person } from '../../../ui/person.tsx'
import { Status } from '../../../ui/status.tsx'
import { useTitle } from '../../../ui/use-title.ts'
import { useFormat } from '../../../words/index.ts'
import { Section, useFreshLogin } from '../parts.tsx'
import styles from '../people.module.css'
import { byArea, usePermissions } from '../permissions.ts'
import { usePeopleWords } from '../words.ts'
import { AccountFields, useAccountFields } from './account-fields.tsx'
import { Keys } from './keys.tsx'

export type ServiceAccount = Answer<'GET /api/service-accounts/{id}'>

/** What may this program do, and with which keys? */
export function ServiceAccountPage() {
  const { services: w } = usePeopleWords()
  const { id } = useParams({ from: '/app/administration/admin/service-accounts/$id' })
  const { day, moment } = useFormat()
  const { data: account, error, refetch } = useQuery(ask('GET /api/service-accounts/{id}', { path: { id } }))
  const [act, setAct] = useState<'edit' | 'deactivate'>()
  useTitle(account?.username)
  if (error || !account) return <NotRead error={error} onRetry={refetch} lines={12} />
  const close = () => setAct(undefined)
  const { owner, requests_per_second, last_used_at } = account
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.serviceAccounts}
        back={w.back}
        title={account.username}
        actions={
          account.is_active && (
            <span className={styles.headTools} data-print="none">
              <Button icon={PenLine} onPress={() => setAct('edit')}>
                {w.edit}
              </Button>
              <Button look="danger" icon={Ban} onPress={() => setAct('deactivate')}>
                {w.deactivate}
              </Button>
            </span>
          )
        }
        state={
          <>
            <Status of={account.is_active ? 'active' : 'inactive'} />
            <span className="soft">{account.full_name}</span>
          </>
        }
      >
        {!owner.is_active && account.is_active && <p className={styles.note}>{w.ownerInactive}</p>}
      </RecordHead>
      <div className={page.columns}>
        <div>
          <Keys of={account} />
          <Permissions of={account} />
        </div>
        <div className={page.side}>
          <FactList
            facts={[
              [w.owner, <Person key="owner" of={owner} />],
              [w.role, account.role],
              [w.limit, requests_per_second ?? w.usualLimit],
              [w.columns.used, last_used_at ? moment(last_used_at) : w.never],
              [w.createdOn, day(account.created_at)],
            ]}
          />
        </div>
      </div>
      {act === 'edit' && <EditDialog of={account} onClose={close} />}
      {act === 'deactivate' && (
        <ReasonDialog
          title={w.deactivateTitle}
          about={account.username}
          revision={account.revision}
          submit={w.deactivate}
          look="danger"
          isRequired
          send={(revision, reason) =>
            call('POST /api/service-accounts/{id}/deactivate', {
              path: { id },
              body: { revision, ...withReason(reason) },
            })
          }
          done={w.deactivated(account.username)}
          onClose={close}
        >
          {w.deactivateHint(account.live_keys)}
        </ReasonDialog>
      )}
    </div>
  )
}

function EditDialog({ of: account, onClose }: { of: ServiceAccount; onClose: () => void }) {
  const { services: w } = usePeopleWords()
  const form = useAccountFields({
    username: account.username,
    full_name: account.full_name ?? '',
    role: String(account.role_id),
    owner: account.owner.id,
  })
  const fresh = useFreshLogin()
  return (
    <ReasonDialog
      title={w.editTitle}
      about={account.username}
      revision={account.revision}
      submit={w.saveChanges}
      size="m"
      isRequired
      isComplete={form.isComplete}
      send={(revision, reason) =>
        fresh.withLogin(() => {
          const { username: _, ...body } = form.body()
          return call('PUT /api/service-accounts/{id}', {
            path: { id: account.id },
            body: { ...body, revision, ...withReason(reason) },
          })
        })
      }
      done={w.saved(nameOf(account))}
      onClose={onClose}
    >
      {problem => (
        <>
          <AccountFields of={form} problem={problem} owner={account.owner} />
          {fresh.fields}
        </>
      )}
    </ReasonDialog>
  )
}

/** What the account may do, and what no machine ever can. */
function Permissions({ of: account }: { of: ServiceAccount }) {
  const { services: w, areas } = usePeopleWords()
  const { permissions } = usePermissions()
  if (!permissions) return <Loading lines={6} />
  const held = permissions.filter(({ name }) => account.permissions.includes(name))
  const never = permissions.filter(({ for_services }) => !for_services)
  const lines = (items: typeof held) => (
    <div className={styles.columns}>
      {byArea(items).map(({ area, items: within }) => (
        <div key={area}>
          <h3>{areas[area]}</h3>
          <ul>
            {within.map(({ name, description }) => (
              <li key={name} className="soft">
                {description}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
  return (
    <>
      <Section title={w.permissions} about={w.permissionsHint}>
        {lines(held)}
      </Section>
      <Section title={w.neverTitle} about={w.neverHint}>
        <details>
          <summary>{w.showNever(never.length)}</summary>
          {lines(never)}
        </details>
      </Section>
    </>
  )
}

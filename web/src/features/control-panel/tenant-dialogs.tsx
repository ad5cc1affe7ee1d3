import { useState } from 'react'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import { call } from './client.ts'
import styles from './control-panel.module.css'
import { useToken } from './session.ts'
import { mib, type Tenant } from './tenant.ts'
import { usePanelWords } from './words.ts'

interface Props {
  tenant: Tenant
  onClose: () => void
}

const mib_of_a_gib = 1024

export function CreateDialog({ onClose }: { onClose: () => void }) {
  const { tenants: w } = usePanelWords()
  const token = useToken()
  const [given, setGiven] = useState({ name: '', slug: '', username: '', email: '', full_name: '', password: '' })
  const [isTried, setTried] = useState(false)
  const { name, slug, username, email, full_name, password } = given
  const needed = { name, username, email, password }
  const fieldOf = (field: keyof typeof given) => ({
    value: given[field],
    onChange: (text: string) => setGiven({ ...given, [field]: text }),
  })
  const missing = (field: keyof typeof needed) => (isTried && needed[field].trim() === '' ? w.missing : undefined)
  return (
    <ActDialog
      title={w.create}
      about={w.about}
      revision={0}
      size="m"
      submit={w.create}
      isComplete={() => {
        setTried(true)
        return Object.values(needed).every(each => each.trim() !== '')
      }}
      send={() =>
        call('POST /api/platform/tenants/', {
          token,
          body: {
            name: name.trim(),
            ...(slug.trim() && { slug: slug.trim() }),
            admin: {
              username: username.trim(),
              email: email.trim(),
              password,
              ...(full_name.trim() && { full_name: full_name.trim() }),
            },
          },
        })
      }
      onDone={tenant => announce(w.done(tenant.name))}
      onClose={onClose}
    >
      {problem => (
        <>
          <Field
            label={w.name}
            hint={w.nameHint}
            isRequired
            autoFocus
            {...fieldOf('name')}
            wrong={missing('name') ?? problem?.of('name')}
          />
          <Field label={w.slug} hint={w.slugHint} {...fieldOf('slug')} wrong={problem?.of('slug')} />
          <fieldset className={styles.admin}>
            <legend>{w.admin}</legend>
            <p className="soft">{w.adminHint}</p>
            <Field
              label={w.username}
              isRequired
              autoComplete="off"
              {...fieldOf('username')}
              wrong={missing('username') ?? problem?.of('username')}
            />
            <Field label={w.fullName} autoComplete="off" {...fieldOf('full_name')} wrong={problem?.of('full_name')} />
            <Field
              label={w.email}
              type="email"
              isRequired
              autoComplete="off"
              {...fieldOf('email')}
              wrong={missing('email') ?? problem?.of('email')}
            />
            <Field
              label={w.password}
              hint={w.passwordHint}
              type="password"
              isRequired
              autoComplete="new-password"
              {...fieldOf('password')}
              wrong={missing('password') ?? problem?.of('password')}
            />
          </fieldset>
        </>
      )}
    </ActDialog>
  )
}

export function CloseDialog({ tenant, onClose }: Props) {
  const { tenants: w } = usePanelWords()
  const token = useToken()
  const [reason, setReason] = useState('')
  const { id, name, is_active, revision } = tenant
  return (
    <ActDialog
      title={is_active ? w.closeTitle : w.reopenTitle}
      about={name}
      revision={revision}
      submit={is_active ? w.close : w.reopen}
      look={is_active ? 'danger' : 'main'}
      send={() =>
        call('PUT /api/platform/tenants/{id}', {
          token,
          path: { id },
          body: { is_active: !is_active, revision, ...(reason.trim() && { change_reason: reason.trim() }) },
        })
      }
      onDone={() => announce(is_active ? w.closed_(name) : w.reopened(name))}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{is_active ? w.closeHint : w.reopenHint}</p>
          <Reason value={reason} onChange={setReason} wrong={problem?.of('change_reason')} />
        </>
      )}
    </ActDialog>
  )
}

export function QuotaDialog({ tenant, onClose }: Props) {
  const { tenants: w } = usePanelWords()
  const token = useToken()
  const { id, name, storage_quota_mb, storage_bytes, revision } = tenant
  const [gib, setGib] = useState(storage_quota_mb === null ? '' : String(storage_quota_mb / mib_of_a_gib))
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const typed = Number(gib.trim().replace(',', '.'))
  const mb = gib.trim() === '' ? null : Math.round(typed * mib_of_a_gib)
  const isWrong = mb !== null && !(mb >= 1)
  return (
    <ActDialog
      title={w.quotaTitle}
      about={name}
      revision={revision}
      submit={w.save}
      isComplete={() => {
        setTried(true)
        return !isWrong
      }}
      send={() =>
        call('PUT /api/platform/tenants/{id}', {
          token,
          path: { id },
          body: { storage_quota_mb: mb, revision, ...(reason.trim() && { change_reason: reason.trim() }) },
        })
      }
      onDone={() => announce(w.quotaDone(name))}
      onClose={onClose}
    >
      {problem => (
        <>
          <Field
            label={w.quotaField}
            hint={w.quotaHint}
            inputMode="decimal"
            value={gib}
            onChange={setGib}
            wrong={(isTried && isWrong ? w.quotaWrong : undefined) ?? problem?.of('storage_quota_mb')}
          />
          {mb !== null && !isWrong && mb * mib < storage_bytes && (
            <p className={styles.warn} role="status">
              {w.quotaBelow}
            </p>
          )}
          <Reason value={reason} onChange={setReason} wrong={problem?.of('change_reason')} />
        </>
      )}
    </ActDialog>
  )
}

interface ReasonProps {
  value: string
  onChange: (value: string) => void
  wrong: string | undefined
}

function Reason(props: ReasonProps) {
  const { tenants: w } = usePanelWords()
  return <Field label={w.reason} hint={w.reasonHint} rows={2} {...props} />
}

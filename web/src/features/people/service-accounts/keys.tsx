import { useQuery } from '@tanstack/react-query'
import { Check, Copy, RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call, serviceNow } from '../../../api/client.ts'
import { ask } from '../../../api/queries.ts'
import { ReasonDialog } from '../../../records/dialogs/reason-dialog.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { DayField } from '../../../ui/day-field.tsx'
import { Dialog, DialogButtons } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { NotRead } from '../../../ui/notes.tsx'
import { useFormat } from '../../../words/index.ts'
import { Mark, Section, useFreshLogin } from '../parts.tsx'
import styles from '../people.module.css'
import { byArea, type Permission, usePermissions } from '../permissions.ts'
import { usePeopleWords } from '../words.ts'
import type { ServiceAccount } from './account-page.tsx'

type Key = Answer<'GET /api/service-accounts/{id}/keys'>[number]
type Issued = Answer<'POST /api/service-accounts/{id}/keys'>

/** The keys that the account ever had; the living ones can be rotated and ended. */
export function Keys({ of: account }: { of: ServiceAccount }) {
  const { services: w } = usePeopleWords()
  const { data, error, refetch } = useQuery(ask('GET /api/service-accounts/{id}/keys', { path: { id: account.id } }))
  const [open, setOpen] = useState<'new' | { act: 'rotate' | 'end'; key: Key }>()
  const [issued, setIssued] = useState<Issued>()
  const close = () => setOpen(undefined)
  return (
    <Section
      title={w.keys}
      about={w.keysHint}
      action={
        account.is_active && (
          <Button look="main" onPress={() => setOpen('new')}>
            {w.newKey}
          </Button>
        )
      }
    >
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={3} />
      ) : data.length === 0 ? (
        <p className={styles.none}>{w.noKeys}</p>
      ) : (
        <ul className={styles.list}>
          {data.map(key => (
            <KeyLine key={key.id} of={key} onAct={account.is_active ? act => setOpen({ act, key }) : undefined} />
          ))}
        </ul>
      )}
      {open === 'new' && <NewKeyDialog of={account} onIssued={setIssued} onClose={close} />}
      {typeof open === 'object' && open.act === 'rotate' && (
        <RotateDialog of={account} rotated={open.key} onIssued={setIssued} onClose={close} />
      )}
      {typeof open === 'object' && open.act === 'end' && (
        <ReasonDialog
          title={w.endTitle}
          about={open.key.name}
          revision={account.revision}
          submit={w.endSubmit}
          look="danger"
          hasReason={false}
          send={() =>
            call('DELETE /api/service-accounts/{id}/keys/{key_id}', { path: { id: account.id, key_id: open.key.id } })
          }
          done={w.ended}
          onClose={close}
        >
          {w.endHint}
        </ReasonDialog>
      )}
      {issued && <IssuedDialog of={issued} onClose={() => setIssued(undefined)} />}
    </Section>
  )
}

function KeyLine({ of: key, onAct }: { of: Key; onAct: ((act: 'rotate' | 'end') => void) | undefined }) {
  const { services: w, permissionsCount } = usePeopleWords()
  const { day, ago } = useFormat()
  const { name, prefix, status, permissions, networks, expires_at, revoked_at, last_used_at, last_used_addr } = key
  const end = status === 'revoked' && revoked_at ? revoked_at : expires_at
  return (
    <li>
      <div>
        <b>{name}</b> <code>{prefix}</code>{' '}
        <Mark {...(status === 'live' && { look: 'good' as const })}>{w.states[status]}</Mark>
        <p className="soft">
          {[
            (status === 'live' ? w.endsOn : w.endedOn)(day(end)),
            permissionsCount(permissions.length),
            networks.length > 0 ? networks.join(', ') : w.fromEverywhere,
            last_used_at
              ? `${w.usedWhen(ago(last_used_at))}${last_used_addr ? ` ${w.usedFrom(last_used_addr)}` : ''}`
              : w.unused,
            key.replaced_by_id !== null && w.replaced,
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </div>
      {onAct && status === 'live' && (
        <div className={styles.acts}>
          {key.replaced_by_id === null && (
            <Button look="icon" label={w.rotate(name)} icon={RefreshCw} onPress={() => onAct('rotate')} />
          )}
          <Button look="icon" label={w.end(name)} icon={Trash2} onPress={() => onAct('end')} />
        </div>
      )}
    </li>
  )
}

interface DialogProps {
  of: ServiceAccount
  onIssued: (key: Issued) => void
  onClose: () => void
}

const dayAfter = (days: number) => new Date(serviceNow() + days * 86_400_000).toISOString().slice(0, 10)

function NewKeyDialog({ of: account, onIssued, onClose }: DialogProps) {
  const { services: w, areas } = usePeopleWords()
  const known = usePermissions()
  const fresh = useFreshLogin()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Permission[]>([])
  const [until, setUntil] = useState(dayAfter(365))
  const [networks, setNetworks] = useState('')
  const [isTried, setTried] = useState(false)
  const offered = (known.permissions ?? []).filter(each => account.permissions.includes(each.name))
  const isMissing = (value: string) => (isTried && value.trim() === '' ? w.required : undefined)
  return (
    <ReasonDialog
      title={w.newKeyTitle}
      about={account.username}
      revision={account.revision}
      submit={w.issue}
      size="m"
      hasReason={false}
      isComplete={() => {
        setTried(true)
        return name.trim() !== '' && chosen.length > 0 && until !== ''
      }}
      send={() =>
        fresh.withLogin(() =>
          call('POST /api/service-accounts/{id}/keys', {
            path: { id: account.id },
            body: {
              name: name.trim(),
              permissions: chosen,
              networks: networks.split(/[\s,]+/).filter(Boolean),
              expires_at: `${until}T00:00:00Z`,
            },
          }),
        )
      }
      done={w.issued}
      onDone={onIssued}
      onClose={onClose}
    >
      {problem => (
        <>
          <Field
            label={w.keyName}
            isRequired
            autoFocus
            maxLength={100}
            value={name}
            onChange={setName}
            wrong={problem?.of('name') ?? isMissing(name)}
          />
          <fieldset>
            <legend className={styles.legend}>{w.keyPermissions}</legend>
            <div className={styles.checks}>
              {byArea(offered).map(({ area, items }) => (
                <div key={area}>
                  <h3>{areas[area]}</h3>
                  {items.map(each => (
                    <Checkbox
                      key={each.name}
                      isSelected={chosen.includes(each.name)}
                      onChange={isOn =>
                        setChosen(isOn ? [...chosen, each.name] : chosen.filter(one => one !== each.name))
                      }
                    >
                      {each.description}
                    </Checkbox>
                  ))}
                </div>
              ))}
            </div>
            {isTried && chosen.length === 0 && <p className={styles.fault}>{w.choosePermissions}</p>}
          </fieldset>
          <DayField
            label={w.expires}
            hint={w.expiresHint}
            isRequired
            value={until}
            onChange={setUntil}
            wrong={problem?.of('expires_at') ?? isMissing(until)}
          />
          <Field
            label={w.networks}
            hint={w.networksHint}
            rows={2}
            value={networks}
            onChange={setNetworks}
            wrong={problem?.within('networks')}
          />
          {fresh.fields}
        </>
      )}
    </ReasonDialog>
  )
}

function RotateDialog({ of: account, rotated: key, onIssued, onClose }: DialogProps & { rotated: Key }) {
  const { services: w } = usePeopleWords()
  const fresh = useFreshLogin()
  const [hours, setHours] = useState('24')
  const [isTried, setTried] = useState(false)
  const overlap_hours = Number(hours)
  const isWrong = !/^\d{1,3}$/.test(hours.trim())
  return (
    <ReasonDialog
      title={w.rotateTitle}
      about={key.name}
      revision={account.revision}
      submit={w.rotateSubmit}
      hasReason={false}
      isComplete={() => {
        setTried(true)
        return !isWrong
      }}
      send={() =>
        fresh.withLogin(() =>
          call('POST /api/service-accounts/{id}/keys/{key_id}/rotate', {
            path: { id: account.id, key_id: key.id },
            body: { overlap_hours },
          }),
        )
      }
      done={w.issued}
      onDone={onIssued}
      onClose={onClose}
    >
      {problem => (
        <>
          <p>{w.rotateHint}</p>
          <Field
            label={w.overlap}
            hint={w.overlapHint}
            inputMode="numeric"
            isRequired
            autoFocus
            value={hours}
            onChange={setHours}
            wrong={problem?.of('overlap_hours') ?? (isTried && isWrong ? w.overlapHint : undefined)}
          />
          {fresh.fields}
        </>
      )}
    </ReasonDialog>
  )
}

/** The key itself, this once: it is left by saying that it is stored, never by a click beside it. */
function IssuedDialog({ of: { name, api_key }, onClose }: { of: Issued; onClose: () => void }) {
  const { services: w } = usePeopleWords()
  const [isCopied, setCopied] = useState(false)
  const copy = () =>
    void navigator.clipboard.writeText(api_key).then(
      () => setCopied(true),
      // Without the right to the clipboard the key is marked by a click, and copied by hand.
      () => setCopied(false),
    )
  return (
    <Dialog isOpen title={w.shownOnce} about={name} size="m">
      <p>{w.shownOnceHint}</p>
      <code className={styles.key}>{api_key}</code>
      <DialogButtons>
        <Button icon={isCopied ? Check : Copy} onPress={copy}>
          {isCopied ? w.copied : w.copy}
        </Button>
        <Button look="main" onPress={onClose}>
          {w.doneCopying}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

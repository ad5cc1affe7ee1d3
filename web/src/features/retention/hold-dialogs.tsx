import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { ReasonDialog } from '../../records/dialogs/reason-dialog.tsx'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { type Found, RecordPicker } from '../../records/fields/record-picker.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import type { Hold } from './holds-page.tsx'
import { useRetentionWords } from './words.ts'

const scopes = ['record', 'document_type', 'record_kind', 'affected_item', 'department'] as const
type Scope = (typeof scopes)[number]
const kinds = ['document', 'deviation', 'capa'] as const

/** What is held stands before the reason, because it decides how much cannot be disposed of. */
export function PlaceDialog({ onClose }: { onClose: () => void }) {
  const { place: w, holds } = useRetentionWords()
  const [scope, setScope] = useState<Scope>('record')
  const [found, setFound] = useState<Found>()
  const [type, setType] = useState('')
  const [kind, setKind] = useState<(typeof kinds)[number]>('document')
  const [named, setNamed] = useState('')
  const [isTried, setTried] = useState(false)
  const { data: types } = useQuery(ask('GET /api/document-types/', { query: { page_size: 100, sort: 'name:asc' } }))
  const target = (): object | undefined => {
    if (scope === 'record') return found && { [`${found.kind}_id`]: found.id }
    if (scope === 'document_type') return type === '' ? undefined : { document_type_id: Number(type) }
    if (scope === 'record_kind') return { record_kind: kind }
    return named.trim() === '' ? undefined : { [scope]: named.trim() }
  }
  const missing = isTried && target() === undefined ? w.missing : undefined
  return (
    <ReasonDialog
      title={w.title}
      about={w.about}
      size="m"
      // A new hold has no revision.
      revision={0}
      label={w.reason}
      field="reason"
      isRequired
      isComplete={() => {
        setTried(true)
        return target() !== undefined
      }}
      send={(_revision, reason) => call('POST /api/legal-holds/', { body: { reason: reason ?? '', ...target() } })}
      submit={w.submit}
      done={({ number }) => w.done(number)}
      onClose={onClose}
    >
      <Choice
        label={w.scope}
        options={scopes.map(id => ({
          id,
          name: w.scopes[id],
          ...((id === 'affected_item' || id === 'department') && { detail: w.linked }),
        }))}
        value={scope}
        onChange={next => {
          setScope(next)
          setNamed('')
        }}
      />
      {scope === 'record' && (
        <RecordPicker
          label={w.record}
          hint={w.recordHint}
          kinds={kinds}
          isRequired
          onChange={setFound}
          wrong={missing}
        />
      )}
      {scope === 'document_type' && (
        <Select
          label={w.documentType}
          isRequired
          placeholder={w.choose}
          options={(types?.items ?? []).map(({ id, name }) => ({ id: String(id), name }))}
          value={type}
          onChange={setType}
          wrong={missing}
        />
      )}
      {scope === 'record_kind' && (
        <Select
          label={w.kind}
          isRequired
          options={kinds.map(id => ({ id, name: holds.kinds[id] }))}
          value={kind}
          onChange={next => setKind(kinds.find(each => each === next) ?? 'document')}
        />
      )}
      {(scope === 'affected_item' || scope === 'department') && (
        <Field
          label={scope === 'department' ? w.department : w.item}
          hint={w.itemHint}
          isRequired
          maxLength={200}
          value={named}
          onChange={setNamed}
          wrong={missing}
        />
      )}
    </ReasonDialog>
  )
}

export function LiftDialog({ hold: { id, number, reason }, onClose }: { hold: Hold; onClose: () => void }) {
  const { lift: w } = useRetentionWords()
  const { pathname } = useLocation()
  return (
    <SignDialog<'POST /api/legal-holds/{id}/lift'>
      of={{ id, number, title: reason }}
      page={pathname}
      title={w.title}
      meaning={w.meaning}
      intent={w.intent(number)}
      draft="lift hold"
      remark={{ label: w.reason, isRequired: true }}
      act={remark => ({ name: 'POST /api/legal-holds/{id}/lift', path: { id }, body: { lift_reason: remark ?? '' } })}
      submit={w.submit}
      onDone={() => announce(w.done(number))}
      onClose={onClose}
    />
  )
}

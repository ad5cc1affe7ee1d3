import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { isProposal, type Proposal, useStored } from '../../records/dialogs/change-proposed.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat } from '../../words/index.ts'
import styles from './company.module.css'
import { SettingControl } from './setting-control.tsx'
import { dangerOf, type Settings, type SettingsChange, type Field as SettingsField, type Values } from './settings.ts'
import { useCompanyWords } from './words.ts'

interface Props {
  settings: Settings
  field: SettingsField
  onProposed: (proposal: Proposal | undefined) => void
  onClose: () => void
}

/** What is sent: a statement is its text alone. */
function bodyOf(field: SettingsField, value: Values[SettingsField]): SettingsChange {
  if (field === 'signature_statement') {
    const text = (value as Values['signature_statement'])?.text.trim()
    return { signature_statement: text ? { text } : null }
  }
  return { [field]: value }
}

type Stored = Answer<'PUT /api/settings/'>

/** A setting with its control, what will happen, and the reason. */
export function SettingDialog({ settings, field, onProposed, onClose }: Props) {
  const { saidAsProposal } = useStored()
  const w = useCompanyWords()
  const { settings: s } = w
  const format = useFormat()
  const [value, setValue] = useState<Values[SettingsField]>(settings[field])
  const [reason, setReason] = useState('')
  const danger = dangerOf(settings, { [field]: value }, w, format)
  const title = s.names[field]
  return (
    <ActDialog
      title={title}
      about={s.says[field]}
      revision={settings.revision}
      changed={w.changedMeanwhile}
      size="m"
      submit={w.save}
      send={revision =>
        call('PUT /api/settings/', {
          body: { ...bodyOf(field, value), revision, ...(reason.trim() && { change_reason: reason.trim() }) },
        })
      }
      onDone={(answer: Stored) => {
        // Where a second person decides, the answer is their proposal.
        onProposed(isProposal(answer) ? answer : undefined)
        if (!saidAsProposal(answer)) announce(w.saved(title))
      }}
      onClose={onClose}
    >
      {(problem: Problem | null) => (
        <>
          <SettingControl
            field={field}
            value={value}
            onChange={setValue}
            wrong={problem?.within(field)}
            wrongIn={part => problem?.within(part)}
          />
          {danger && (
            <p className={styles.danger} role="status">
              {danger}
            </p>
          )}
          <Field
            label={w.reason}
            hint={w.reasonHint}
            rows={2}
            value={reason}
            onChange={setReason}
            wrong={problem?.of('change_reason')}
          />
        </>
      )}
    </ActDialog>
  )
}

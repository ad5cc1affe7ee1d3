import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { announce } from '../../ui/toasts.tsx'
import type { Settings } from './settings.ts'
import { useCompanyWords } from './words.ts'

/** Another name of the company, with the reason for it. */
export function NameDialog({ settings, onClose }: { settings: Settings; onClose: () => void }) {
  const w = useCompanyWords()
  const { company } = w.settings
  const [name, setName] = useState(settings.company_name)
  const [reason, setReason] = useState('')
  return (
    <ActDialog
      title={company.name}
      about={company.says}
      revision={settings.revision}
      changed={w.changedMeanwhile}
      submit={w.save}
      send={revision =>
        call('PUT /api/settings/company-name', {
          body: { name: name.trim(), change_reason: reason.trim(), revision },
        })
      }
      onDone={() => announce(w.saved(company.name))}
      onClose={onClose}
    >
      {(problem: Problem | null) => (
        <>
          <Field
            label={company.name}
            isRequired
            maxLength={200}
            value={name}
            onChange={setName}
            wrong={problem?.of('name')}
          />
          <Field
            label={w.reason}
            hint={w.reasonHint}
            isRequired
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

import { useLocation } from '@tanstack/react-router'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { announce } from '../../ui/toasts.tsx'
import type { DueRow } from './due-page.tsx'
import styles from './retention.module.css'
import { useRetentionWords } from './words.ts'

interface Props {
  rows: DueRow[]
  onDone: () => void
  onClose: () => void
}

/** The list that is signed stands in the dialog, because the signature is over it. */
export function ProposeDialog({ rows, onDone, onClose }: Props) {
  const { propose: w } = useRetentionWords()
  const { pathname } = useLocation()
  return (
    <SignDialog<'POST /api/disposals/'>
      of={{ id: 0, title: w.about(rows.length) }}
      page={pathname}
      title={w.title}
      meaning={w.meaning}
      intent={w.intent(rows.length)}
      draft="propose disposal"
      remark={{ label: w.reason, isRequired: true }}
      note={w.effect}
      act={remark => ({
        name: 'POST /api/disposals/',
        path: undefined,
        body: {
          versions: rows.map(({ document_id, version }) => ({ document_id, version })),
          reason: remark ?? '',
        },
      })}
      submit={w.submit}
      look="danger"
      onDone={({ number }) => {
        announce(w.done(number))
        onDone()
      }}
      onClose={onClose}
    >
      {() => (
        <ul className={styles.chosen}>
          {rows.map(({ version_id, number, version, title }) => (
            <li key={version_id}>
              <span className="number">
                {number} {version}
              </span>{' '}
              {title}
            </li>
          ))}
        </ul>
      )}
    </SignDialog>
  )
}

import { useLocation } from '@tanstack/react-router'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { announce } from '../../ui/toasts.tsx'
import { type DueRow, keyOf, nameOf } from './due-row.ts'
import styles from './retention.module.css'
import { useRetentionWords } from './words.ts'

interface Props {
  rows: DueRow[]
  onDone: () => void
  onClose: () => void
}

/** The list that is signed stands in the dialog, because the signature is over it. */
export function ProposeDialog({ rows, onDone, onClose }: Props) {
  const { propose: w, due } = useRetentionWords()
  const { pathname } = useLocation()
  const cases = rows.filter(({ kind }) => kind !== 'document').length
  const idsOf = (kind: DueRow['kind']) => rows.filter(each => each.kind === kind).map(({ id }) => id)
  return (
    <SignDialog<'POST /api/disposals/'>
      of={{ id: 0, title: w.about(rows.length) }}
      page={pathname}
      title={w.title}
      meaning={w.meaning(cases)}
      intent={w.intent(rows.length, cases)}
      draft="propose disposal"
      remark={{ label: w.reason, isRequired: true }}
      note={w.effect(rows.length - cases, cases)}
      act={remark => ({
        name: 'POST /api/disposals/',
        path: undefined,
        body: {
          versions: rows.flatMap(({ kind, id, version }) =>
            kind === 'document' && version !== null ? [{ document_id: id, version }] : [],
          ),
          deviation_ids: idsOf('deviation'),
          capa_ids: idsOf('capa'),
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
          {rows.map(row => (
            <li key={keyOf(row)}>
              <span className="number">{nameOf(row)}</span> {row.title}
              {row.kind !== 'document' && <span className="soft">, {due.attachedFiles(row.files_total)}</span>}
            </li>
          ))}
        </ul>
      )}
    </SignDialog>
  )
}

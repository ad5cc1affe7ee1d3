import { PenLine } from 'lucide-react'
import { useState } from 'react'
import { paths } from '../../app/paths.ts'
import { canTake, isOffered, whyNotOf } from '../../records/allowed.ts'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat } from '../../words/index.ts'
import { ContinueButton, Signed } from './accept-step.tsx'
import { type Batch, isWorking, type Row } from './batch.ts'
import type { StepProps } from './import-page.tsx'
import styles from './imports.module.css'
import { JobProgress } from './job-progress.tsx'
import { Findings, RecordLink, RowsTable } from './rows-table.tsx'
import { useImportWords } from './words.ts'

export function ReleaseStep({ batch, search, narrow }: StepProps) {
  const { release: w, check } = useImportWords()
  const { moment } = useFormat()
  const [isSigning, setSigning] = useState(false)
  const { status, reconciliation, released, release_remarks, you, job, counts } = batch
  const whyNot = whyNotOf(you, 'release')
  const isComparing = status === 'reconciling'
  if (!isComparing && !['loaded', 'released'].includes(status)) return <p className="soft">{w.notYet}</p>
  const differences = reconciliation ? reconciliation.differences + reconciliation.damaged_files : 0
  return (
    <>
      <p className="soft">{isComparing ? w.running : w.about}</p>
      {isComparing && job && (isWorking(batch) || job.status === 'failed') && <JobProgress job={job} />}
      {isComparing && !isWorking(batch) && <ContinueButton batch={batch}>{w.again}</ContinueButton>}
      {!isComparing && reconciliation && (
        <>
          <FactList
            facts={[
              [w.records, String(reconciliation.records)],
              [w.differences, String(reconciliation.differences)],
              [w.files, String(reconciliation.files)],
              [w.damaged, String(reconciliation.damaged_files)],
            ]}
          />
          <p className={differences > 0 ? styles.warning : styles.goodNote}>{differences > 0 ? w.differ : w.same}</p>
        </>
      )}
      {released && <Signed by={w.by(nameOf(released.by), moment(released.at))} signature={released.signature_id} />}
      {release_remarks && <p>{w.said(release_remarks)}</p>}
      {status === 'loaded' && (
        <div className="row in-middle">
          {isOffered(you, 'release') && (
            <Button look="main" icon={PenLine} whyNot={whyNot} onPress={() => setSigning(true)}>
              {w.act}
            </Button>
          )}
          <ContinueButton batch={batch} look="plain">
            {w.again}
          </ContinueButton>
        </div>
      )}
      {!isComparing && (
        <section className={styles.part}>
          <h3>{counts.differs > 0 ? w.rows : w.loadedRows}</h3>
          <RowsTable
            batch={batch}
            search={{ ...search, step: 'release' }}
            narrow={narrow}
            label={counts.differs > 0 ? w.rows : w.loadedRows}
            query={{ status: counts.differs > 0 ? ['differs'] : undefined }}
            none={check.none}
            columns={[
              ...(counts.differs > 0
                ? [{ id: 'findings', title: check.findings, cell: (row: Row) => <Findings row={row} /> }]
                : []),
              { id: 'record', title: check.record, cell: row => <RecordLink row={row} /> },
            ]}
          />
        </section>
      )}
      {isSigning && canTake(you, 'release') && (
        <ReleaseDialog batch={batch} needsRemarks={differences > 0} onClose={() => setSigning(false)} />
      )}
    </>
  )
}

interface DialogProps {
  batch: Batch
  needsRemarks: boolean
  onClose: () => void
}

function ReleaseDialog({ batch: { id, number, title }, needsRemarks, onClose }: DialogProps) {
  const { release: w } = useImportWords()
  const [remarks, setRemarks] = useState('')
  return (
    <SignDialog<'POST /api/migrations/{id}/release'>
      of={{ id, number, title }}
      page={paths.import.replace('$id', String(id))}
      title={w.title}
      meaning={w.meaning}
      intent={w.intent}
      draft="release import"
      act={() => ({
        name: 'POST /api/migrations/{id}/release',
        path: { id },
        body: remarks.trim() ? { remarks: remarks.trim() } : {},
      })}
      submit={w.submit}
      onDone={() => announce(w.done(number))}
      onClose={onClose}
    >
      {problem => (
        <Field
          label={w.remarks}
          hint={w.remarksHint}
          rows={3}
          autoFocus
          maxLength={2000}
          isRequired={needsRemarks}
          value={remarks}
          onChange={setRemarks}
          wrong={problem?.of('remarks')}
        />
      )}
    </SignDialog>
  )
}

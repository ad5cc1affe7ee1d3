import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { PenLine, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { canTake, isOffered, whyNotOf } from '../../records/allowed.ts'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { sizeInWords } from '../../records/fields/file-rules.ts'
import { Button } from '../../ui/button.tsx'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { ActButton } from './act-button.tsx'
import { type Batch, doneSteps, isOpen, isWorking } from './batch.ts'
import type { StepProps } from './import-page.tsx'
import styles from './imports.module.css'
import { JobProgress } from './job-progress.tsx'
import { NextLink } from './next-link.tsx'
import { useImportWords } from './words.ts'

export function AcceptStep({ batch, go }: StepProps) {
  const { accept: w, sample, row, rehearse } = useImportWords()
  const { locale, moment } = useFormat()
  const me = useMe()
  const [isSigning, setSigning] = useState(false)
  const { status, counts, rows, files, samples, started_by, accepted, job, you } = batch
  const done = doneSteps(batch)
  const left = counts.error + counts.ok + counts.warning
  const whyNot = whyNotOf(you, 'accept')
  return (
    <>
      <p className="soft">{w.about}</p>
      <FactList
        facts={[
          [w.records, String(rows)],
          [w.files, `${files.count} (${sizeInWords(files.bytes, locale)})`],
          [w.warnings, isOpen(batch) && String(counts.warning)],
          [w.compared, sample.sizeOf(samples.done, samples.proposed)],
          [w.rehearsed, done.rehearse ? row.yes : row.no],
        ]}
      />
      {isOpen(batch) && (
        <>
          {done.rehearse && (
            <>
              <p className={samples.done < samples.proposed ? styles.warning : styles.goodNote}>
                {w.samples(samples.done, samples.proposed)}
              </p>
              <p>{w.read}</p>
            </>
          )}
          {isOffered(you, 'accept') && started_by.id !== me.id ? (
            <div className={styles.act}>
              <Button look="main" icon={PenLine} whyNot={whyNot} onPress={() => setSigning(true)}>
                {w.act}
              </Button>
              {whyNot !== undefined && <p className="soft">{whyNot}</p>}
            </div>
          ) : (
            <>
              <p className={styles.note}>{w.whoMay(nameOf(started_by))}</p>
              {!done.rehearse && <p className="soft">{w.notReady}</p>}
            </>
          )}
        </>
      )}
      {accepted && <Signed by={w.by(nameOf(accepted.by), moment(accepted.at))} signature={accepted.signature_id} />}
      {status === 'loading' && job?.kind === 'migration.load' && (
        <>
          <p>{w.loading}</p>
          <JobProgress job={job} />
        </>
      )}
      {(status === 'failed' || (status === 'loading' && !isWorking(batch))) && (
        <>
          <p className={styles.warning}>
            {w.stopped} {counts.error > 0 && w.refused(left)}
          </p>
          {counts.error > 0 && (
            <p>
              <Button onPress={() => go({ step: 'check', status: ['error'] })}>{rehearse.toRows}</Button>
            </p>
          )}
          <ContinueButton batch={batch}>{w.continue}</ContinueButton>
        </>
      )}
      {done.accept && <p className={styles.goodNote}>{w.loaded}</p>}
      <NextLink batch={batch} here="accept" go={go} />
      {isSigning && canTake(you, 'accept') && <AcceptDialog batch={batch} onClose={() => setSigning(false)} />}
    </>
  )
}

function AcceptDialog({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const { accept: w } = useImportWords()
  const client = useQueryClient()
  // What is signed is what was on the page when the dialog opened.
  const [{ id, number, title, report_sha256 }] = useState(batch)
  return (
    <SignDialog<'POST /api/migrations/{id}/accept'>
      of={{ id, number, title }}
      page={paths.import.replace('$id', String(id))}
      title={w.title}
      meaning={w.meaning}
      intent={w.intent}
      draft="accept import"
      changed={w.changed}
      act={() => ({ name: 'POST /api/migrations/{id}/accept', path: { id }, body: { report_sha256: report_sha256! } })}
      submit={w.submit}
      onDone={() => {
        announce(w.done(number))
        void refresh(client, 'migrations/')
      }}
      onClose={onClose}
    />
  )
}

/** Who signed, and the way to the signature. */
export function Signed({ by, signature }: { by: string; signature: number }) {
  const { accept: w } = useImportWords()
  return (
    <p className={styles.signed}>
      {by}{' '}
      <Link to={paths.signature} params={{ id: signature }}>
        {w.toSignature}
      </Link>
    </p>
  )
}

export function ContinueButton({ batch, look, children }: { batch: Batch; look?: 'main' | 'plain'; children: string }) {
  const { id, revision } = batch
  return (
    <ActButton
      batch={batch}
      act="continue"
      {...(look && { look })}
      icon={RotateCw}
      send={() => call('POST /api/migrations/{id}/continue', { path: { id }, body: { revision } })}
    >
      {children}
    </ActButton>
  )
}

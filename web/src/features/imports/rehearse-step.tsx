import { FlaskConical } from 'lucide-react'
import { call } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { ActButton } from './act-button.tsx'
import { doneSteps, isOpen, isWorking } from './batch.ts'
import type { StepProps } from './import-page.tsx'
import styles from './imports.module.css'
import { JobProgress } from './job-progress.tsx'
import { NextLink } from './next-link.tsx'
import { useImportWords } from './words.ts'

export function RehearseStep({ batch, go }: StepProps) {
  const { rehearse: w } = useImportWords()
  const { id, job, status, counts, rows } = batch
  const isDone = doneSteps(batch).rehearse
  const isRehearsal = job?.kind === 'migration.rehearse'
  return (
    <>
      <p className="soft">{w.about}</p>
      {isOpen(batch) && (
        <ActButton
          batch={batch}
          act="rehearse"
          look={isDone ? 'plain' : 'main'}
          icon={FlaskConical}
          send={() => call('POST /api/migrations/{id}/rehearse', { path: { id } })}
        >
          {status === 'rehearsed' ? w.again : w.act}
        </ActButton>
      )}
      {isRehearsal && (isWorking(batch) || job.status === 'failed') && <JobProgress job={job} />}
      {isDone && (
        <p role="status" className={styles.goodNote}>
          {w.good(rows)}
        </p>
      )}
      {isOpen(batch) && counts.error > 0 && (
        <div className={styles.act}>
          {status === 'rehearsed' && <p className={styles.bad}>{w.bad(counts.error)}</p>}
          <Button onPress={() => go({ step: 'check', status: ['error'] })}>{w.toRows}</Button>
        </div>
      )}
      <NextLink batch={batch} here="rehearse" go={go} />
    </>
  )
}

import { ProgressBar } from 'react-aria-components'
import { Refused } from '../../ui/notes.tsx'
import { Track } from '../../ui/track.tsx'
import type { Batch } from './batch.ts'
import styles from './imports.module.css'
import { useImportWords } from './words.ts'

/** How far the work on a batch is. The page asks again by itself, as reading a batch counts as no use of the session. */
export function JobProgress({ job }: { job: NonNullable<Batch['job']> }) {
  const { job: w } = useImportWords()
  const { kind, status, done, skipped, total, percent, error } = job
  if (status === 'completed') return null
  if (status === 'failed')
    return (
      <Refused>
        {w.failed} {error}
      </Refused>
    )
  return (
    <div className={styles.progress}>
      <ProgressBar value={percent} aria-label={w.names[kind]}>
        {({ percentage = 0 }) => (
          <>
            <p>
              <b>{w.names[kind]}</b>{' '}
              <span className="soft">
                {status === 'queued' ? w.queued : total > 0 && w.of(Math.min(done + skipped, total), total)}
              </span>
            </p>
            <Track percentage={percentage} />
          </>
        )}
      </ProgressBar>
      <p className="soft">{w.goesOn}</p>
    </div>
  )
}

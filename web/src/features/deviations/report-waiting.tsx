import { Link } from '@tanstack/react-router'
import { CloudOff, Send } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Refused } from '../../ui/notes.tsx'
import styles from './report-page.module.css'
import { useReportWords } from './report-words.ts'
import type { usePhotos } from './use-photos.ts'
import type { useReport } from './use-report.ts'
import type { useSending } from './use-sending.ts'
import { useDeviationWords } from './words.ts'

interface Props {
  state: ReturnType<typeof useReport>
  photos: ReturnType<typeof usePhotos>
  sending: ReturnType<typeof useSending>
}

/** A report on its way: what is known of it, and what it says. */
export function ReportWaiting({ state: { report, change }, photos: { files }, sending }: Props) {
  const w = useReportWords()
  const deviations = useDeviationWords()
  const { phase, body } = report
  const { isPending, isOld, sendNow } = sending
  if (isOld)
    return (
      <div className={styles.waiting}>
        <Refused>{w.tooOld}</Refused>
        <div className={styles.buttons}>
          <Button
            onPress={() =>
              change({ key: crypto.randomUUID(), phase: 'writing', body: undefined, posted_at: undefined })
            }
          >
            {w.goOn}
          </Button>
          <Link to="/deviations" search={{ reported: true }}>
            {deviations.reportedByMe}
          </Link>
        </div>
      </div>
    )
  const Icon = isPending ? Send : CloudOff
  return (
    <div className={styles.waiting}>
      <div className={styles.note} role="status">
        <Icon size={18} aria-hidden="true" />
        <div>
          <b>{isPending ? w.sending : w.waits}</b>
          {!isPending && <p>{phase === 'uncertain' ? w.uncertain : w.waitsHint}</p>}
        </div>
      </div>
      <article className={styles.kept}>
        <h2>{body?.title}</h2>
        <p>{body?.description}</p>
        {files.length > 0 && <p className="soft">{w.photos(files.length)}</p>}
      </article>
      {!isPending && (
        <div className={styles.buttons}>
          {phase === 'waiting' && (
            <Button onPress={() => change({ phase: 'writing', body: undefined })}>{w.goOn}</Button>
          )}
          <Button look="main" icon={Send} onPress={sendNow}>
            {w.tryNow}
          </Button>
        </div>
      )}
    </div>
  )
}

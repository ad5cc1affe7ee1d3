import { useNavigate } from '@tanstack/react-router'
import { RecordBack } from '../../records/record-head.tsx'
import { NotPermitted } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useWhyNot } from '../session/session.ts'
import { ReportForm } from './report-form.tsx'
import styles from './report-page.module.css'
import { ReportWaiting } from './report-waiting.tsx'
import { useReportWords } from './report-words.ts'
import { usePhotos } from './use-photos.ts'
import { useReport } from './use-report.ts'
import { useSending } from './use-sending.ts'
import { useDeviationWords } from './words.ts'

export function ReportPage() {
  const w = useReportWords()
  const whyNot = useWhyNot('deviations.create')
  useTitle(w.title)
  if (whyNot) return <NotPermitted why={whyNot} />
  return <NewReport />
}

function NewReport() {
  const w = useReportWords()
  const deviations = useDeviationWords()
  const navigate = useNavigate()
  const state = useReport()
  const photos = usePhotos(state.report.key)
  const sending = useSending(state, photos, ({ id, number }) => {
    announce(w.done(number))
    void navigate({ to: '/deviations/$id', params: { id } })
  })
  return (
    <div className={styles.page}>
      <header>
        <RecordBack list="/deviations">{deviations.title}</RecordBack>
        <h1>{w.title}</h1>
      </header>
      {state.report.phase === 'writing' ? (
        <ReportForm
          state={state}
          photos={photos}
          error={sending.error}
          refusedFile={sending.refusedFile}
          onLeave={() => void navigate({ to: '/deviations' })}
        />
      ) : (
        <ReportWaiting state={state} photos={photos} sending={sending} />
      )}
    </div>
  )
}

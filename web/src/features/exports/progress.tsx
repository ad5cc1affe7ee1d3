import { useFormat } from '../../words/index.ts'
import styles from './exports.module.css'
import { useExportWords } from './words.ts'

interface Props {
  of: { step: keyof ReturnType<typeof useExportWords>['steps']; done: number; total: number } | null
}

/** How far an export is, in the part that is being made. */
export function Progress({ of: progress }: Props) {
  const w = useExportWords()
  const { locale } = useFormat()
  if (!progress) return <span className="soft">{w.waiting}</span>
  const { step, done, total } = progress
  const percent = total === 0 ? 0 : Math.round((100 * done) / total)
  return (
    <span className={styles.progress}>
      <span>{w.steps[step]}</span>
      <svg className={styles.meter} aria-hidden="true">
        <rect width="100%" height="8" />
        <rect width={`${percent}%`} height="8" />
      </svg>
      {total > 1 && <span className="soft">{w.of(done.toLocaleString(locale), total.toLocaleString(locale))}</span>}
    </span>
  )
}

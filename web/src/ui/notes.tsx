import { CircleAlert, Lock, type LucideIcon, RefreshCw, SearchX, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { Problem } from '../api/problem.ts'
import { useWords } from '../words/index.ts'
import { Button } from './button.tsx'
import styles from './notes.module.css'

export function Empty({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <Icon size={22} aria-hidden="true" />
      <h2>{title}</h2>
      {children && <div className="soft">{children}</div>}
    </div>
  )
}

interface NotReadProps {
  error: Error | null
  onRetry: () => unknown
  lines?: number
}

/** In the place of what is not read: why it could not be, or that it is on its way. */
export const NotRead = ({ error, onRetry, ...loading }: NotReadProps) =>
  error ? <Unreadable error={error} onRetry={() => void onRetry()} /> : <Loading {...loading} />

/** In the place of a page that the person may not use: the service would refuse all that can be done there. */
export const NotPermitted = ({ why }: { why: string }) => <Unreadable error={new Problem(403, { detail: why })} />

/** In the place of what could not be read: what happened, in the words of the service, and what can be done. */
export function Unreadable({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const { problems: w } = useWords()
  const problem = error instanceof Problem ? error : new Problem(500, undefined)
  const { status, message, reference } = problem
  const { Icon, title, hint } =
    status === 403
      ? { Icon: Lock, title: w.forbidden, hint: '' }
      : status === 404
        ? { Icon: SearchX, title: w.missing, hint: w.missingHint }
        : problem.isPassing
          ? { Icon: Unplug, title: w.away, hint: w.awayHint }
          : { Icon: CircleAlert, title: w.failed, hint: w.failedHint }
  return (
    <div role="alert">
      <Empty icon={Icon} title={title}>
        <p>{status === 404 ? hint : message || hint}</p>
        {reference && <p>{w.reference(reference)}</p>}
        {onRetry && status !== 403 && status !== 404 && (
          <p>
            <Button icon={RefreshCw} onPress={onRetry}>
              {w.again}
            </Button>
          </p>
        )}
      </Empty>
    </div>
  )
}

/** In a form: what was refused. What is wrong with one of its fields stands at that field, not here. */
export function Refused({ error, children }: { error?: Problem; children?: ReactNode }) {
  const { problems: w } = useWords()
  const text = error && (error.status === 0 ? w.offlineWrite : error.message || w.failedHint)
  return (
    <div role="alert" className={styles.refused}>
      <CircleAlert size={16} aria-hidden="true" />
      <div>
        {children ?? text}
        {error?.reference && <p>{w.reference(error.reference)}</p>}
      </div>
    </div>
  )
}

/** Grey lines in the shape of what comes; after 200 ms only, so that what is quick does not flicker. */
export function Loading({ lines = 6 }: { lines?: number }) {
  const { common } = useWords()
  return (
    <div className={styles.loading} role="status" aria-label={common.loading}>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike and never move
        <span key={index} />
      ))}
    </div>
  )
}

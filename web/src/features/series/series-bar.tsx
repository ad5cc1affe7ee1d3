import { useNavigate } from '@tanstack/react-router'
import { ArrowRight, ListChecks, SkipForward } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { paths } from '../../app/paths.ts'
import { useMemberInSight, useSeries } from '../../app/series.ts'
import { nextOf } from '../../app/series-members.ts'
import { Button } from '../../ui/button.tsx'
import { useWords } from '../../words/index.ts'
import styles from './series-bar.module.css'

/** Above the page of a record that somebody came to in a series of approvals: where they are in it, and the way on. */
export function SeriesBar() {
  const { series: w } = useWords()
  const navigate = useNavigate()
  const { members, settle } = useSeries()
  const member = useMemberInSight()
  const place = useRef<HTMLParagraphElement>(null)
  const page = member?.page
  // Who works by keyboard or listens begins each record at its place in the series.
  useEffect(() => {
    if (page !== undefined) place.current?.focus()
  }, [page])
  if (!member) return null

  const { outcome } = member
  const isDecided = outcome !== undefined && outcome !== 'skipped'
  const next = nextOf(members, member.page)
  const goOn = () => void (next ? navigate({ href: next.page }) : navigate({ to: paths.series }))
  const skip = () => {
    settle(member.page, 'skipped')
    goOn()
  }
  return (
    <section className={styles.bar} aria-label={w.bar} data-print="none">
      <p ref={place} tabIndex={-1}>
        <ListChecks size={16} aria-hidden="true" />
        <b>{w.at(members.findIndex(each => each.page === page) + 1, members.length)}</b>
        {outcome && <span>{w.outcomes[outcome]}</span>}
      </p>
      <div className="row">
        {next && (
          <Button look="quiet" onPress={() => void navigate({ to: paths.series })}>
            {w.stop}
          </Button>
        )}
        {isDecided ? (
          <Button key="next" look="main" autoFocus icon={ArrowRight} onPress={goOn}>
            {next ? w.next(next.number) : w.finish}
          </Button>
        ) : (
          <Button key="skip" icon={SkipForward} onPress={skip}>
            {next ? w.skip : w.skipLast}
          </Button>
        )}
      </div>
    </section>
  )
}

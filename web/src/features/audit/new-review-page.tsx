import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ChevronLeft, ListFilter, PenLine } from 'lucide-react'
import { useState } from 'react'
import { serviceNow } from '../../api/client.ts'
import { askPage, refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import form from '../../records/form-page.module.css'
import page from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { NotPermitted, Unreadable } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat } from '../../words/index.ts'
import { useWhyNot } from '../session/session.ts'
import { FilterInWords } from './filter-in-words.tsx'
import { usePeriod } from './reviews-page.tsx'
import { type AuditSearch, filtersOf, isReviewable, reviewFilterOf } from './search.ts'

export function NewReviewPage() {
  const { reviews: w } = useEvidenceWords().audit
  const whyNot = useWhyNot('audit.review')
  useTitle(w.newTitle)
  if (whyNot) return <NotPermitted why={whyNot} />
  return <NewReview />
}

/** Which entries somebody looked at; what they found is said with the signature. */
function NewReview() {
  const { audit: a } = useEvidenceWords()
  const w = a.reviews
  const search = useSearch({ from: '/app/audit/reviews/new' })
  const navigate = useNavigate({ from: paths.newAuditReview })
  const { locale, today, moment } = useFormat()
  const [isSigning, setSigning] = useState(false)
  const { from, to } = search
  // A review cannot be of what is still to come: one of today is up to the moment at which it was begun.
  const [begun] = useState(() => new Date(serviceNow() - 2000).toISOString())
  const isToday = to === today()
  const isOver = to !== undefined && to <= today()
  const until = isToday ? begun : to
  const isWhole = from !== undefined && isOver && isReviewable(search)
  const found = useQuery({
    ...askPage('GET /api/audit/', { query: { ...filtersOf(search), date_to: until, page_size: 1 } }),
    enabled: isWhole,
  })
  const total = isWhole ? found.data?.total : undefined
  const change = (next: AuditSearch) =>
    void navigate({ search: { ...search, page: undefined, order: undefined, ...next }, replace: true })
  const whyNot =
    from === undefined || to === undefined
      ? w.missing
      : !isOver
        ? w.notOver
        : !isReviewable(search)
          ? w.notReviewable
          : total === 0
            ? w.foundNone
            : undefined
  return (
    <div className={page.page}>
      <header className={page.head}>
        <Link to={paths.auditReviews} className={page.back}>
          <ChevronLeft size={14} aria-hidden="true" />
          {w.back}
        </Link>
        <h1>{w.newTitle}</h1>
      </header>
      <div className={form.form}>
        <section>
          <h2>{w.step1}</h2>
          <p className="soft">
            {w.step1Hint} {a.utc}
          </p>
        </section>
        <div className={form.two}>
          <DayField
            label={w.from}
            isRequired
            value={from ?? ''}
            onChange={next => change({ from: next || undefined })}
          />
          <DayField
            label={w.to}
            isRequired
            value={to ?? ''}
            onChange={next => change({ to: next || undefined })}
            wrong={to !== undefined && !isOver ? w.notOver : undefined}
            hint={isToday ? w.untilNow(moment(begun)) : undefined}
          />
        </div>
        <div>
          <h2>{w.filter}</h2>
          <p>
            {isReviewable(search) ? <FilterInWords of={reviewFilterOf(search)} /> : w.notReviewable}{' '}
            <Link to={paths.audit} search={search}>
              {w.change}
            </Link>
          </p>
        </div>
        {found.error && isWhole && <Unreadable error={found.error} onRetry={() => void found.refetch()} />}
        <p role="status">
          {total !== undefined && (total === 0 ? w.foundNone : w.found(total.toLocaleString(locale)))}
        </p>
        <div className="row at-end">
          <Button icon={ListFilter} onPress={() => void navigate({ to: paths.audit, search })}>
            {w.look}
          </Button>
          <Button look="main" icon={PenLine} whyNot={whyNot} onPress={() => setSigning(true)}>
            {w.sign}
          </Button>
        </div>
      </div>
      {isSigning && (
        <SignReview search={search} days={{ date_from: from!, date_to: until! }} onClose={() => setSigning(false)} />
      )}
    </div>
  )
}

type Outcome = 'no_findings' | 'findings'

interface SignProps {
  search: AuditSearch
  days: { date_from: string; date_to: string }
  onClose: () => void
}

function SignReview({ search, days, onClose }: SignProps) {
  const { reviews: w } = useEvidenceWords().audit
  const navigate = useNavigate()
  const client = useQueryClient()
  const period = usePeriod()
  const [outcome, setOutcome] = useState<Outcome | ''>('')
  return (
    <SignDialog
      of={{ id: 0, title: period(days) }}
      page={paths.auditReviews}
      title={w.signTitle}
      meaning={outcome === '' ? w.meansAny : w.meanings[outcome]}
      draft="audit-review"
      remark={outcome === 'findings' ? { label: w.findings, isRequired: true } : undefined}
      act={findings => ({
        name: 'POST /api/audit/reviews/',
        path: undefined,
        body: {
          ...days,
          filter: reviewFilterOf(search),
          // The service says at its field that it is missing.
          outcome: outcome as Outcome,
          ...(findings !== undefined && { findings }),
        },
      })}
      submit={w.sign}
      onDone={({ id }) => {
        announce(w.done)
        void refresh(client, 'audit/')
        void navigate({ to: paths.auditReview, params: { id } })
      }}
      onClose={onClose}
    >
      {error => (
        <Choice<Outcome>
          label={w.outcome}
          isRequired
          options={[
            { id: 'no_findings', name: w.outcomes.no_findings },
            { id: 'findings', name: w.outcomes.findings },
          ]}
          value={outcome}
          onChange={setOutcome}
          wrong={error?.of('outcome') && w.missingOutcome}
        />
      )}
    </SignDialog>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ListChecks, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { askPage, refresh } from '../../api/queries.ts'
import { ReasonDialog, withReason } from '../../records/dialogs/reason-dialog.tsx'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { ListPage } from '../../records/list/list-page.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { FilterOne } from '../../ui/filter.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './company.module.css'
import { type JobStatus, type JobsSearch, jobStatuses } from './search.ts'
import { useCompanyWords } from './words.ts'

type Job = Answer<'GET /api/jobs/'>['items'][number]

const page_size = 25
const looks: Record<JobStatus, string> = {
  queued: 'draft',
  running: 'in_progress',
  completed: 'done',
  failed: 'failed',
}

/** What goes on in the background, and what of it failed? */
export function JobsPage() {
  const { jobs: w } = useCompanyWords()
  const { permissions } = useMe()
  const client = useQueryClient()
  const search = useSearch({ from: '/app/administration/admin/jobs' })
  const navigate = useNavigate({ from: '/admin/jobs' })
  const [retrying, setRetrying] = useState<Job>()
  const { status, page } = search
  // Not by itself at intervals: a page that nobody looks at must not keep its session alive. The service's events tell of one's own jobs.
  const found = useQuery(askPage('GET /api/jobs/', { query: { status, page, page_size } }))
  const columns = useColumns(permissions.includes('settings.manage') ? setRetrying : undefined)
  useTitle(w.title)
  const narrow = (change: JobsSearch) => void navigate({ search: { ...search, page: undefined, ...change } })
  const nameOfKind = (job: Job) => w.kinds[job.kind] ?? w.other
  return (
    <ListPage
      title={w.title}
      about={w.about}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      narrow={narrow}
      begin={
        <Button icon={RefreshCw} onPress={() => void found.refetch()}>
          {w.reload}
        </Button>
      }
      isNarrowed={status !== undefined}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: ListChecks, title: w.none, hint: w.noneHint, none: w.noneMatch }}
    >
      <ListFilters>
        <FilterOne
          label={w.status}
          values={jobStatuses}
          names={w.statuses}
          value={status}
          onChange={next => narrow({ status: next })}
        />
      </ListFilters>
      {retrying && (
        <ReasonDialog
          // It is decided once, and the service says so to whoever comes later.
          revision={0}
          title={w.retryTitle}
          about={nameOfKind(retrying)}
          submit={w.retry}
          done={w.retried}
          send={(_, reason) =>
            call('POST /api/jobs/{id}/retry', { path: { id: retrying.id }, body: withReason(reason) })
          }
          onClose={() => {
            setRetrying(undefined)
            void refresh(client, 'jobs/')
          }}
        >
          <p>{w.retryHint(retrying.requested_by ? nameOf(retrying.requested_by) : w.system)}</p>
        </ReasonDialog>
      )}
    </ListPage>
  )
}

function useColumns(onRetry: ((job: Job) => void) | undefined): Column<Job>[] {
  const { acts, jobs: w } = useCompanyWords()
  const { moment } = useFormat()
  return [
    {
      id: 'kind',
      title: w.job,
      isHeading: true,
      cell: job => (
        <>
          {w.kinds[job.kind] ?? w.other}
          {job.status === 'failed' && (
            <p className={styles.failure}>
              {job.error} {w.failedHint}
            </p>
          )}
        </>
      ),
    },
    { id: 'status', title: w.status, cell: job => <Status of={looks[job.status]} name={w.statuses[job.status]} /> },
    { id: 'progress', title: w.progress, cell: job => <Progress of={job} /> },
    {
      id: 'by',
      title: w.begunBy,
      rank: 2,
      cell: ({ requested_by }) => (requested_by ? <Person of={requested_by} /> : w.system),
    },
    { id: 'created', title: w.begun, rank: 1, cell: ({ created_at }) => moment(created_at) },
    ...(onRetry
      ? [
          {
            id: 'acts',
            title: acts,
            cell: (job: Job) =>
              job.status === 'failed' && (
                <span className={styles.acts} data-print="none">
                  <Button
                    look="quiet"
                    aria-label={`${w.retry}: ${w.kinds[job.kind] ?? w.other}`}
                    onPress={() => onRetry(job)}
                  >
                    {w.retry}
                  </Button>
                </span>
              ),
          },
        ]
      : []),
  ]
}

function Progress({ of: { percent, done, skipped, total, status } }: { of: Job }) {
  const { jobs: w } = useCompanyWords()
  return (
    <span className={styles.progress}>
      <svg className={styles.meter} data-over={status === 'failed'} aria-hidden="true">
        <rect width="100%" height="8" />
        <rect width={`${percent}%`} height="8" />
      </svg>
      <span>
        {w.of(done + skipped, total)}
        {skipped > 0 && <span className="soft"> ({w.skipped(skipped)})</span>}
      </span>
    </span>
  )
}

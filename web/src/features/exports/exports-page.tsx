import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { PackageOpen, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { askPage } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { sizeInWords } from '../../records/fields/file-rules.ts'
import { ListPage } from '../../records/list/list-page.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import styles from './exports.module.css'
import { Progress } from './progress.tsx'
import { useExportWords } from './words.ts'

type Export = Answer<'GET /api/tenant-exports/'>['items'][number]

const page_size = 25
export const looks: Record<Export['status'], string> = {
  in_progress: 'in_progress',
  ready: 'done',
  failed: 'failed',
  expired: 'expired',
  deleted: 'cancelled',
}

/** What was exported of the whole company, by whom and why, and is it still there? */
export function ExportsPage() {
  const w = useExportWords()
  const { page } = useSearch({ from: '/app/administration/admin/exports' })
  const navigate = useNavigate({ from: paths.exports })
  const [isRequesting, setRequesting] = useState(false)
  const found = useQuery(askPage('GET /api/tenant-exports/', { query: { page, page_size } }))
  const columns = useColumns()
  useTitle(w.title)
  const isReadable = found.data !== undefined
  return (
    <ListPage
      title={w.title}
      about={w.about}
      of={found}
      rowKey={({ id }) => id}
      columns={columns}
      narrow={change => void navigate({ search: { page: change.page } })}
      begin={
        isReadable && (
          <>
            <Button icon={RefreshCw} onPress={() => void found.refetch()}>
              {w.reload}
            </Button>
            <Button look="main" onPress={() => setRequesting(true)}>
              {w.request}
            </Button>
          </>
        )
      }
      isNarrowed={false}
      onClear={() => void navigate({ search: {} })}
      empty={{ icon: PackageOpen, title: w.none, hint: w.noneHint }}
    >
      {isRequesting && (
        <SignDialog<'POST /api/tenant-exports/'>
          // There is no record of it yet.
          of={{ id: 0, title: w.about }}
          page={paths.exports}
          title={w.dialog.title}
          meaning={w.dialog.meaning}
          note={w.dialog.note}
          draft="export"
          remark={{ label: w.dialog.reason, isRequired: true }}
          act={reason => ({ name: 'POST /api/tenant-exports/', path: undefined, body: { reason: reason ?? '' } })}
          submit={w.dialog.submit}
          onDone={({ id }) => {
            announce(w.requested)
            void navigate({ to: paths.export, params: { id } })
          }}
          onClose={() => setRequesting(false)}
        />
      )}
    </ListPage>
  )
}

function useColumns(): Column<Export>[] {
  const { columns: w, statuses, export: named } = useExportWords()
  const { moment, locale } = useFormat()
  return [
    {
      id: 'export',
      title: w.export,
      isHeading: true,
      cell: ({ id }) => (
        <Link to={paths.export} params={{ id }}>
          {named(id)}
        </Link>
      ),
    },
    { id: 'reason', title: w.reason, cell: ({ reason }) => <span className={styles.reason}>{reason}</span> },
    {
      id: 'status',
      title: w.status,
      cell: ({ status, progress }) =>
        status === 'in_progress' ? <Progress of={progress} /> : <Status of={looks[status]} name={statuses[status]} />,
    },
    { id: 'size', title: w.size, rank: 2, cell: ({ bytes }) => (bytes === null ? '–' : sizeInWords(bytes, locale)) },
    { id: 'by', title: w.requestedBy, rank: 2, cell: ({ requested_by }) => <Person of={requested_by} /> },
    { id: 'requested', title: w.requested, rank: 1, cell: ({ requested_at }) => moment(requested_at) },
    {
      id: 'until',
      title: w.until,
      rank: 3,
      cell: ({ status, expires_at }) => (status === 'ready' && expires_at ? moment(expires_at) : '–'),
    },
  ]
}

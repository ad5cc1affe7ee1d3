import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { CircleCheck, Download, Info, OctagonAlert, Trash2 } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { type Answer, addressOf, call } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ReasonDialog } from '../../records/dialogs/reason-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { sizeInWords } from '../../records/fields/file-rules.ts'
import { RecordHead } from '../../records/record-head.tsx'
import page from '../../records/record-page.module.css'
import review from '../../records/review.module.css'
import { Button } from '../../ui/button.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { save } from '../../ui/save.ts'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import styles from './exports.module.css'
import { looks } from './exports-page.tsx'
import { Progress } from './progress.tsx'
import { useExportWords } from './words.ts'

type Export = Answer<'GET /api/tenant-exports/{id}'>

const everyMs = 2_000

/** What is in this export, can it still be downloaded, and who took it? */
export function ExportPage() {
  const w = useExportWords()
  const { id } = useParams({ from: '/app/administration/admin/exports/$id' })
  const client = useQueryClient()
  const { moment, locale } = useFormat()
  const { data, error, refetch } = useQuery({
    ...ask('GET /api/tenant-exports/{id}', { path: { id } }),
    // To ask counts as no use of the session.
    refetchInterval: ({ state }) => (state.data?.status === 'in_progress' ? everyMs : false),
  })
  const [isDeleting, setDeleting] = useState(false)
  useTitle(data ? w.export(id) : undefined)
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  const { status, requested_by, requested_at, reason, completed_at, expires_at, bytes, contents } = data
  const isThere = status === 'ready'
  const canDelete = isThere || status === 'in_progress'
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.exports}
        back={w.back}
        title={w.export(id)}
        actions={
          canDelete && (
            <span className={styles.tools} data-print="none">
              {isThere && (
                <Button
                  look="main"
                  icon={Download}
                  onPress={() => save(addressOf('GET /api/tenant-exports/{id}/download', { path: { id } }))}
                >
                  {w.download}
                </Button>
              )}
              <Button look="danger" icon={Trash2} onPress={() => setDeleting(true)}>
                {isThere ? w.delete : w.stop}
              </Button>
            </span>
          )
        }
        state={
          <>
            <Status of={looks[status]} name={w.statuses[status]} />
            <Person of={requested_by} />
            <time className="soft" dateTime={requested_at}>
              {moment(requested_at)}
            </time>
          </>
        }
      />
      <div className={page.columns}>
        <div>
          <State of={data} />
          {contents && contents.files_missing > 0 && <Said look="warned">{w.missing(contents.files_missing)}</Said>}
          {contents && <Contents of={data} />}
          {completed_at && <Downloads of={data} />}
        </div>
        <div className={page.side}>
          <FactList
            facts={[
              [w.facts.reason, <span key="reason">{reason}</span>],
              [w.facts.requestedBy, nameOf(requested_by)],
              [w.facts.requested, moment(requested_at)],
              [w.facts.completed, completed_at && moment(completed_at)],
              [w.facts.size, bytes !== null && sizeInWords(bytes, locale)],
              [w.facts.until, isThere && expires_at && moment(expires_at)],
              [w.facts.archive, data.sha256 && <span className={styles.hash}>{data.sha256}</span>],
              [w.facts.manifest, data.manifest_sha256 && <span className={styles.hash}>{data.manifest_sha256}</span>],
            ]}
          />
        </div>
      </div>
      {isDeleting && canDelete && (
        <ReasonDialog
          // It is deleted once, and the service says so to whoever comes later.
          revision={0}
          title={w.deleteTitle}
          about={w.export(id)}
          submit={isThere ? w.delete : w.stop}
          look="danger"
          hasReason={false}
          send={() => call('DELETE /api/tenant-exports/{id}', { path: { id } })}
          done={w.deleted}
          onClose={() => {
            setDeleting(false)
            void refresh(client, 'tenant-exports/')
          }}
        >
          {isThere ? w.deleteHint : w.stopHint}
        </ReasonDialog>
      )}
    </div>
  )
}

const Said = ({ look, children }: { look: 'good' | 'bad' | 'warned'; children: ReactNode }) => {
  const Icon = look === 'good' ? CircleCheck : look === 'bad' ? OctagonAlert : Info
  return (
    <p className={review[look]}>
      <Icon size={16} aria-hidden="true" />
      <span>{children}</span>
    </p>
  )
}

function State({ of: { status, progress, expires_at, removed_by } }: { of: Export }) {
  const w = useExportWords()
  const { moment } = useFormat()
  switch (status) {
    case 'in_progress':
      return (
        <div role="status">
          <Progress of={progress} />
          <p className="soft">{w.progressHint}</p>
        </div>
      )
    case 'ready':
      return <Said look="good">{w.ready(moment(expires_at!))}</Said>
    case 'failed':
      return <Said look="bad">{w.failed}</Said>
    case 'expired':
      return <Said look="warned">{w.expired}</Said>
    case 'deleted':
      return <Said look="warned">{w.wasDeleted(removed_by ? nameOf(removed_by) : '–')}</Said>
  }
}

const shownKinds = [
  ...(['documents', 'deviations', 'capas', 'training_programs', 'training_assignments', 'users'] as const),
]

function Contents({ of: { contents, snapshot_at } }: { of: Export }) {
  const w = useExportWords()
  const id = useId()
  const { moment, locale } = useFormat()
  const { records, files, files_bytes, signatures, signatures_valid, audit_entries } = contents!
  const number = (value: number) => value.toLocaleString(locale)
  const others = Object.entries(records).reduce(
    (sum, [name, count]) => ((shownKinds as readonly string[]).includes(name) ? sum : sum + count),
    0,
  )
  const rows: [string, string][] = [
    ...shownKinds.map((name): [string, string] => [w.kinds[name], number(records[name] ?? 0)]),
    [w.kinds.files, w.filesOf(number(files), sizeInWords(files_bytes, locale))],
    [w.kinds.signatures, w.signaturesOf(number(signatures), number(signatures_valid))],
    [w.kinds.audit_entries, number(audit_entries)],
    [w.kinds.others, number(others)],
  ]
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{w.contents}</h2>
      {snapshot_at && <p className="soft">{w.contentsHint(moment(snapshot_at))}</p>}
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{w.kind}</th>
            <th scope="col" className={styles.number}>
              {w.count}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, count]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td className={styles.number}>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Downloads({ of: { downloads } }: { of: Export }) {
  const w = useExportWords()
  const id = useId()
  const { moment } = useFormat()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{w.downloads}</h2>
      {downloads.length === 0 ? (
        <p className="soft">{w.noDownloads}</p>
      ) : (
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{w.downloadedBy}</th>
              <th scope="col">{w.downloadedAt}</th>
            </tr>
          </thead>
          <tbody>
            {downloads.map(({ at, user }) => (
              <tr key={at}>
                <td>
                  <Person of={user} />
                </td>
                <td>{moment(at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Check, FileDown, FileText, Trash2 } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { addressOf, call } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { isOffered, whyNotOf } from '../../records/allowed.ts'
import { Subject } from '../../records/dialogs/act-dialog.tsx'
import { ReasonDialog } from '../../records/dialogs/reason-dialog.tsx'
import { sizeInWords } from '../../records/fields/file-rules.ts'
import { RecordHead } from '../../records/record-head.tsx'
import page from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { save } from '../../ui/save.ts'
import { Status } from '../../ui/status.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { AcceptStep } from './accept-step.tsx'
import { type Batch, doneSteps, isWorking, lookOfBatch, nextStep } from './batch.ts'
import { CheckStep } from './check-step.tsx'
import { ColumnsStep } from './columns-step.tsx'
import { DescribeStep } from './describe-step.tsx'
import styles from './imports.module.css'
import { nameIn, type StepName, stepNames } from './names.ts'
import { RehearseStep } from './rehearse-step.tsx'
import { ReleaseStep } from './release-step.tsx'
import { RowDialog } from './row-dialog.tsx'
import { SampleStep } from './sample-step.tsx'
import type { ImportSearch } from './search.ts'
import { UploadStep } from './upload-step.tsx'
import { useImportWords } from './words.ts'

const look_ms = 1500

/** What is left until this is in the system? */
export function ImportPage() {
  const words = useImportWords()
  const { page: w } = words
  const { moment } = useFormat()
  const id = Number(useParams({ from: '/app/administration/admin/imports/$id' }).id)
  const search = useSearch({ from: '/app/administration/admin/imports/$id' })
  const navigate = useNavigate({ from: paths.import })
  const client = useQueryClient()
  const { data, error, refetch } = useQuery({
    ...ask('GET /api/migrations/{id}', { path: { id } }),
    refetchInterval: ({ state }) => (state.data && isWorking(state.data) ? look_ms : false),
  })
  const isAtWork = data !== undefined && isWorking(data)
  const wasAtWork = useRef(isAtWork)
  useEffect(() => {
    // What the work has found is in the lists of rows, which are not asked for in the meantime.
    if (wasAtWork.current && !isAtWork) void refresh(client, 'migrations/', 'notifications/')
    wasAtWork.current = isAtWork
  }, [client, isAtWork])
  useTitle(data && `${data.number} ${data.title}`)
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  const { number, title, status, source_system, started_by, started_at, discarded } = data
  const step = nameIn(stepNames, search.step) ?? nextStep(data)
  const go = (next: ImportSearch) => void navigate({ search: next })
  const narrow = (change: ImportSearch) =>
    void navigate({ search: { ...search, step, page: undefined, ...change }, replace: 'q' in change })
  const props = { batch: data, search, go, narrow }
  const bodies: Record<StepName, () => ReactNode> = {
    describe: () => <DescribeStep key={data.id} {...props} />,
    files: () => <UploadStep {...props} />,
    columns: () => <ColumnsStep {...props} />,
    check: () => <CheckStep {...props} />,
    rehearse: () => <RehearseStep {...props} />,
    sample: () => <SampleStep {...props} />,
    accept: () => <AcceptStep {...props} />,
    release: () => <ReleaseStep {...props} />,
  }
  return (
    <div className={page.page}>
      <RecordHead
        list={paths.imports}
        back={w.back}
        number={number}
        title={title}
        actions={<Actions batch={data} />}
        areActionsWide
        state={
          <>
            <Status of={lookOfBatch[status]} name={words.statuses[status]} />
            <span>{source_system}</span>
            <span className="soft">{w.by(nameOf(started_by), moment(started_at))}</span>
          </>
        }
      >
        {discarded && (
          <p className={page.notInForce}>
            {words.discard.was(nameOf(discarded.by), moment(discarded.at))} “{discarded.reason}”
          </p>
        )}
      </RecordHead>
      <div className={styles.columns}>
        <StepList batch={data} step={step} />
        <section className={styles.step} aria-labelledby="import-step">
          <h2 id="import-step">{words.steps[step]}</h2>
          {bodies[step]()}
        </section>
      </div>
      {search.row !== undefined && (
        <RowDialog
          key={search.row}
          batch={data}
          id={search.row}
          isSample={step === 'sample'}
          onClose={() => void navigate({ search: { ...search, row: undefined } })}
        />
      )}
    </div>
  )
}

export interface StepProps {
  batch: Batch
  search: ImportSearch
  /** To another step. */
  go: (next: ImportSearch) => void
  /** Within the same step: other rows. */
  narrow: (change: ImportSearch) => void
}

/** One may leave at any step and come back: each says what is there. */
function StepList({ batch, step }: { batch: Batch; step: StepName }) {
  const { page: w, steps } = useImportWords()
  const done = doneSteps(batch)
  const next = nextStep(batch)
  const here = useRef<HTMLAnchorElement>(null)
  const states = useStates(batch)
  // On a telephone the steps are a strip, of which the present one is to be in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another step is shown
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [step])
  return (
    <nav className={styles.steps} aria-label={w.steps} data-print="none">
      <ol>
        {stepNames.map((name, at) => (
          <li key={name}>
            <Link
              from={paths.import}
              to={paths.import}
              params={{ id: String(batch.id) }}
              search={{ step: name }}
              aria-current={name === step ? 'step' : undefined}
              {...(name === step && { ref: here })}
            >
              <span
                className={styles.mark}
                {...(done[name] && { 'data-done': true })}
                {...(name === next && !done[name] && { 'data-next': true })}
                aria-hidden="true"
              >
                {done[name] ? <Check size={13} /> : at + 1}
              </span>
              <span className={styles.name}>
                {steps[name]}
                {done[name] && <span className="visually-hidden"> ({w.done})</span>}
                <span className={styles.says}>{states[name]}</span>
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </nav>
  )
}

/** What each step says of itself, in a few words. */
function useStates(batch: Batch): Record<StepName, string> {
  const { states: w, statuses } = useImportWords()
  const { day } = useFormat()
  const { rows, files, sheets, counts, samples, status, source_system, accepted, released } = batch
  const done = doneSteps(batch)
  const missing = sheets.reduce((sum, each) => sum + each.missing.length, 0)
  return {
    describe: source_system,
    files: rows + files.count > 0 ? w.files(rows, files.count) : w.noFiles,
    columns: rows === 0 ? '' : missing > 0 ? w.columns(missing) : w.columnsFound,
    check:
      status === 'checking'
        ? statuses.checking
        : counts.error > 0
          ? w.errors(counts.error)
          : !done.check
            ? w.notYet
            : counts.warning > 0
              ? w.warnings(counts.warning)
              : w.noErrors,
    rehearse: status === 'rehearsing' ? statuses.rehearsing : done.rehearse ? w.rehearsed : w.notYet,
    sample: samples.differ > 0 ? w.differ(samples.differ) : rows > 0 ? w.samples(samples.done, samples.proposed) : '',
    accept:
      status === 'loading' || status === 'failed'
        ? statuses[status]
        : accepted
          ? w.acceptedOn(day(accepted.at))
          : w.notYet,
    release: status === 'reconciling' ? statuses[status] : released ? w.releasedOn(day(released.at)) : w.notYet,
  }
}

function Actions({ batch }: { batch: Batch }) {
  const { page: w, discard } = useImportWords()
  const { locale } = useFormat()
  const [isDiscarding, setDiscarding] = useState(false)
  const { id, number, title, revision, you, status, files } = batch
  const reportAs = (format: 'pdf' | 'csv') =>
    save(addressOf('GET /api/migrations/{id}/report', { path: { id }, query: { format } }))
  return (
    <div className="row in-middle" data-print="none">
      {status === 'staging' || status === 'checking' ? (
        <Button icon={FileDown} whyNot={w.notChecked}>
          {w.report}
        </Button>
      ) : (
        <Menu label={w.report} trigger={<Button icon={FileDown}>{w.report}</Button>}>
          <MenuItem icon={FileText} name={w.reportAs.pdf} onAction={() => reportAs('pdf')} />
          <MenuItem icon={FileText} name={w.reportAs.csv} onAction={() => reportAs('csv')} />
        </Menu>
      )}
      {isOffered(you, 'discard') && status !== 'discarded' && (
        <Button icon={Trash2} whyNot={whyNotOf(you, 'discard')} onPress={() => setDiscarding(true)}>
          {discard.act}
        </Button>
      )}
      {isDiscarding && (
        <ReasonDialog
          title={discard.title}
          about={<Subject of={{ number, title }} />}
          revision={revision}
          submit={discard.submit}
          look="danger"
          isRequired
          label={discard.reason}
          field="reason"
          send={(_, reason) => call('POST /api/migrations/{id}/discard', { path: { id }, body: { reason: reason! } })}
          done={discard.done}
          onClose={() => setDiscarding(false)}
        >
          {discard.about(files.count, sizeInWords(files.bytes, locale))}
        </ReasonDialog>
      )}
    </div>
  )
}

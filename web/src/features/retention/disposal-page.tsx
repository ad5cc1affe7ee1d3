import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import { Check, Undo2, X } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ReasonDialog } from '../../records/dialogs/reason-dialog.tsx'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import record from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Person } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { DisposalStatus } from './disposals-page.tsx'
import { nameOf } from './due-row.ts'
import { RecordLink } from './record-link.tsx'
import styles from './retention.module.css'
import { useRetentionWords } from './words.ts'

type Disposal = Answer<'GET /api/disposals/{id}'>
type Act = 'approve' | 'reject' | 'withdraw'

/** The record of a disposal: what was destroyed, by which rule, and who decided it. It stays when the content is gone. */
export function DisposalPage() {
  const { id } = useParams({ from: '/app/administration/admin/disposals/$id' })
  const { disposal: w } = useRetentionWords()
  const { moment } = useFormat()
  const { data, error, refetch } = useQuery(ask('GET /api/disposals/{id}', { path: { id } }))
  const [act, setAct] = useState<Act>()
  useTitle(data && `${data.number} ${w.title}`)
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  return (
    <div className={record.page}>
      <RecordHead
        list={paths.disposals}
        back={w.back}
        number={data.number}
        title={w.title}
        state={<DisposalStatus of={data.status} />}
      >
        {data.files_pending > 0 && <p className="soft">{w.pending(data.files_pending)}</p>}
      </RecordHead>
      <div className={record.columns}>
        <div className={styles.content}>
          <section aria-labelledby="why">
            <h2 id="why">{w.reason}</h2>
            <p className={styles.why}>{data.reason}</p>
          </section>
          <section aria-labelledby="records">
            <h2 id="records">{w.records}</h2>
            <ul className={styles.records}>
              {data.records.map(each => (
                <Line key={each.id} of={each} />
              ))}
            </ul>
          </section>
        </div>
        <div className={record.side}>
          {data.status === 'proposed' && <Decision disposal={data} onAct={setAct} />}
          <FactList
            facts={[
              [w.facts.proposedBy, <Person key="by" of={data.proposed_by} />],
              [w.facts.proposedAt, moment(data.proposed_at)],
              [w.facts.decidedBy, data.decided_by && <Person of={data.decided_by} />],
              [w.facts.decidedAt, data.decided_at && moment(data.decided_at)],
              [w.facts.decision, data.decision_reason],
              [w.facts.completedAt, data.completed_at && moment(data.completed_at)],
              [
                w.facts.signatures,
                <ul key="signatures" className={styles.links}>
                  {data.signature_ids.map(signature => (
                    <li key={signature}>
                      <Link to="/signatures/$id" params={{ id: signature }}>
                        {w.signatureOf(signature)}
                      </Link>
                    </li>
                  ))}
                </ul>,
              ],
            ]}
          />
          <p className="soft">{w.stays}</p>
          {countCases(data) > 0 && <p className="soft">{w.casesStay}</p>}
        </div>
      </div>
      {act === 'approve' && <ApproveDialog disposal={data} onClose={() => setAct(undefined)} />}
      {(act === 'reject' || act === 'withdraw') && (
        <EndDialog disposal={data} act={act} onClose={() => setAct(undefined)} />
      )}
    </div>
  )
}

/** Deviations and CAPAs, of which a disposal destroys the attached files alone. */
const countCases = ({ records }: Disposal) => records.filter(({ kind }) => kind !== 'document').length

function Line({ of: each }: { of: Disposal['records'][number] }) {
  const words = useRetentionWords()
  const { disposal: w } = words
  const { day } = useFormat()
  const isCase = each.kind !== 'document'
  const disposedOn = isCase ? w.filesDisposedOn : w.disposedOn
  const outcome = each.disposed_at ? disposedOn(day(each.disposed_at)) : w.outcomes[each.status]
  return (
    <li>
      <p className={styles.name}>
        <RecordLink kind={each.kind} id={each.record_id} version={each.version}>
          <span className="number">{nameOf({ number: each.record_number, version: each.version })}</span> {each.title}
        </RecordLink>
      </p>
      <FactList
        facts={[
          [w.outcome, each.kept_reason ? `${outcome}: ${each.kept_reason}` : outcome],
          [w.rule, w.ruleOf(each.type_name ?? words.kinds[each.kind], words.years(each.retention_years))],
          [w.ended, `${day(each.ended_on)}, ${words.due.ended[each.record_status] ?? each.record_status}`],
          [w.until, day(each.retention_until)],
          [
            isCase ? w.attachedFiles : w.files,
            <ul key="files">
              {each.files.map(file => (
                <li key={file.attachment_id ?? file.sha256}>
                  {file.name}, {words.bytes(file.file_size)}
                  <br />
                  <code className={styles.digest}>{file.sha256}</code>
                </li>
              ))}
            </ul>,
          ],
        ]}
      />
    </li>
  )
}

/** The acts of the reader; the service decides again. */
function Decision({ disposal, onAct }: { disposal: Disposal; onAct: (act: Act) => void }) {
  const { disposal: w } = useRetentionWords()
  const { id, permissions } = useMe()
  const isOwn = disposal.proposed_by.id === id
  const cases = countCases(disposal)
  const mayDecide = !isOwn && permissions.includes('retention.approve_disposal')
  return (
    <section className={`${styles.panel} ${mayDecide ? styles.yours : ''}`} aria-labelledby="decision">
      <h2 id="decision">{mayDecide ? w.yours : w.waits}</h2>
      <p className="soft">{mayDecide ? w.effect(disposal.records_total - cases, cases) : isOwn ? w.own : w.others}</p>
      {mayDecide && (
        <div className={styles.buttons} data-print="none">
          <Button look="danger" icon={Check} onPress={() => onAct('approve')}>
            {w.approve}
          </Button>
          <Button icon={X} onPress={() => onAct('reject')}>
            {w.reject}
          </Button>
        </div>
      )}
      {isOwn && permissions.includes('retention.propose_disposal') && (
        <div className={styles.buttons} data-print="none">
          <Button icon={Undo2} onPress={() => onAct('withdraw')}>
            {w.withdraw}
          </Button>
        </div>
      )}
    </section>
  )
}

interface DialogProps {
  disposal: Disposal
  onClose: () => void
}

function ApproveDialog({ disposal, onClose }: DialogProps) {
  const { approve: w, disposal: disposalWords, records } = useRetentionWords()
  const { pathname } = useLocation()
  const { id, number, records_total } = disposal
  const cases = countCases(disposal)
  return (
    <SignDialog<'POST /api/disposals/{id}/approve'>
      of={{ id, number, title: records(records_total) }}
      page={pathname}
      title={w.title}
      meaning={w.meaning(cases)}
      intent={w.intent(records_total, cases)}
      note={cases > 0 && disposalWords.casesStay}
      draft="approve disposal"
      remark={{ label: w.reason, isRequired: true }}
      act={remark => ({
        name: 'POST /api/disposals/{id}/approve',
        path: { id },
        body: { decision_reason: remark ?? '' },
      })}
      submit={w.submit}
      look="danger"
      onDone={() => announce(w.done(number))}
      onClose={onClose}
    />
  )
}

/** Rejected by another person, or withdrawn by the one who proposed it. */
function EndDialog({ disposal: { id, number }, act, onClose }: DialogProps & { act: 'reject' | 'withdraw' }) {
  const words = useRetentionWords()
  const w = words[act]
  return (
    <ReasonDialog
      title={w.title}
      about={number}
      // A disposal has no revision: it is decided once, and the service says so to whoever comes later.
      revision={0}
      label={w.reason}
      field="decision_reason"
      isRequired={act === 'reject'}
      send={(_revision, reason) =>
        act === 'reject'
          ? call('POST /api/disposals/{id}/reject', { path: { id }, body: { decision_reason: reason ?? '' } })
          : call('POST /api/disposals/{id}/withdraw', {
              path: { id },
              body: { ...(reason && { decision_reason: reason }) },
            })
      }
      submit={w.submit}
      done={w.done}
      onClose={onClose}
    >
      <p>{w.text}</p>
    </ReasonDialog>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import { Check, Undo2, X } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { pageOfRecord } from '../../app/addresses.ts'
import { paths } from '../../app/paths.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import record from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './changes.module.css'
import { ChangeStatus } from './changes-page.tsx'
import { Differences } from './differences.tsx'
import { useChangesWords } from './words.ts'

type Change = Answer<'GET /api/configuration-changes/{id}'>
type Act = 'approve' | 'reject' | 'withdraw'

/** One change of the rules: what it changes, and the decision about it. */
export function ChangePage() {
  const { id } = useParams({ from: '/app/administration/admin/changes/$id' })
  const w = useChangesWords()
  const { moment } = useFormat()
  const { data, error, refetch } = useQuery(ask('GET /api/configuration-changes/{id}', { path: { id } }))
  const [act, setAct] = useState<Act>()
  useTitle(data && `${w.number(data.id)} ${data.title}`)
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  const page = pageOfRecord(data.kind, data.resource_id)
  return (
    <div className={record.page}>
      <RecordHead
        list={paths.changes}
        back={w.back}
        number={w.number(data.id)}
        title={data.title}
        state={
          <>
            <ChangeStatus of={data.status} />
            <span>{w.kinds[data.kind]}</span>
            <span className="soft">{w.operations[data.operation]}</span>
          </>
        }
      >
        {data.status === 'outdated' && <p className={record.notInForce}>{w.outdatedHint}</p>}
      </RecordHead>
      <div className={record.columns}>
        <div className={styles.content}>
          <section aria-labelledby="why">
            <h2 id="why">{w.reason}</h2>
            <p className={styles.why}>{data.reason ?? <span className="soft">{w.noReason}</span>}</p>
          </section>
          <section aria-labelledby="what">
            <h2 id="what">{w.changes}</h2>
            <Differences of={data} />
          </section>
        </div>
        <div className={record.side}>
          {data.status === 'pending' && <Decision change={data} onAct={setAct} />}
          <FactList
            facts={[
              [
                w.facts.about,
                page ? (
                  <Link key="about" to={page}>
                    {data.title}
                  </Link>
                ) : (
                  data.title
                ),
              ],
              [w.facts.proposedBy, <Person key="by" of={data.proposed_by} />],
              [w.facts.proposedAt, moment(data.proposed_at)],
              [w.facts.decidedBy, data.decided_by && <Person of={data.decided_by} />],
              [w.facts.decidedAt, data.decided_at && moment(data.decided_at)],
              [w.facts.decision, data.decision_reason],
              [
                w.facts.signature,
                data.signature_id !== null && (
                  <Link to="/signatures/$id" params={{ id: data.signature_id }}>
                    {w.signatureOf(data.signature_id)}
                  </Link>
                ),
              ],
            ]}
          />
        </div>
      </div>
      {act === 'approve' && <ApproveDialog change={data} onClose={() => setAct(undefined)} />}
      {(act === 'reject' || act === 'withdraw') && (
        <EndDialog change={data} act={act} onClose={() => setAct(undefined)} />
      )}
    </div>
  )
}

/** The acts that the service allows; where it refuses all of them, the people who may. */
function Decision({ change: { you, approvers }, onAct }: { change: Change; onAct: (act: Act) => void }) {
  const { panel: w } = useChangesWords()
  const { list } = useFormat()
  const may = (act: Act) => you.may.includes(act)
  const whyNot = may('approve') || may('withdraw') ? undefined : you.why_not.approve?.[0]?.detail
  return (
    <section className={`${styles.panel} ${may('approve') ? styles.yours : ''}`} aria-labelledby="decision">
      <h2 id="decision">{may('approve') ? w.yours : w.waits}</h2>
      <p className="soft">{may('approve') ? w.effect : w.by(list(approvers.map(nameOf)))}</p>
      {whyNot && <p className="soft">{whyNot}</p>}
      {(may('approve') || may('reject')) && (
        <div className={styles.buttons} data-print="none">
          <Button look="main" icon={Check} onPress={() => onAct('approve')}>
            {w.approve}
          </Button>
          <Button icon={X} onPress={() => onAct('reject')}>
            {w.reject}
          </Button>
        </div>
      )}
      {may('withdraw') && (
        <div className={styles.buttons} data-print="none">
          <Button icon={Undo2} onPress={() => onAct('withdraw')}>
            {w.withdraw}
          </Button>
        </div>
      )}
    </section>
  )
}

const aboutOf = (change: Change, number: string) => ({ id: change.id, number, title: change.title })

function ApproveDialog({ change, onClose }: { change: Change; onClose: () => void }) {
  const words = useChangesWords()
  const w = words.approve
  const { pathname } = useLocation()
  return (
    <SignDialog<'POST /api/configuration-changes/{id}/approve'>
      of={aboutOf(change, words.number(change.id))}
      page={pathname}
      title={w.title}
      meaning={w.meaning}
      intent={w.intent(change.title)}
      draft="approve change"
      remark={{ label: w.remark, isRequired: false }}
      act={remark => ({
        name: 'POST /api/configuration-changes/{id}/approve',
        path: { id: change.id },
        body: { ...(remark && { intent: remark }) },
      })}
      submit={w.submit}
      onDone={() => announce(w.done(change.title))}
      onClose={onClose}
    />
  )
}

/** Rejected by another person, or withdrawn by the one who proposed it. */
function EndDialog({ change, act, onClose }: { change: Change; act: 'reject' | 'withdraw'; onClose: () => void }) {
  const words = useChangesWords()
  const w = words[act]
  const [reason, setReason] = useDraft(`${act} change ${useMe().id} ${change.id}`)
  const [isTried, setTried] = useState(false)
  const isRequired = act === 'reject'
  const isMissing = isRequired && reason.trim() === ''
  return (
    <ActDialog
      title={w.title}
      about={`${words.number(change.id)} ${change.title}`}
      // A change has no revision: it is decided once, and the service says so to whoever comes later.
      revision={0}
      isComplete={() => {
        setTried(true)
        return !isMissing
      }}
      send={() => {
        const path = { id: change.id }
        const decision_reason = reason.trim()
        return act === 'reject'
          ? call('POST /api/configuration-changes/{id}/reject', { path, body: { decision_reason } })
          : call('POST /api/configuration-changes/{id}/withdraw', {
              path,
              body: { ...(decision_reason && { decision_reason }) },
            })
      }}
      onDone={() => {
        setReason('')
        announce(w.done)
      }}
      onClose={onClose}
      submit={w.submit}
      look={act === 'reject' ? 'danger' : 'main'}
    >
      {problem => (
        <>
          <p>{w.text}</p>
          <Field
            label={w.reason}
            rows={3}
            autoFocus
            isRequired={isRequired}
            value={reason}
            onChange={setReason}
            wrong={problem?.of('decision_reason') ?? (isTried && isMissing ? words.reject.missing : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}

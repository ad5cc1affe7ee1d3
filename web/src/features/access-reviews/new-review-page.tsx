import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { CheckCheck, ChevronLeft, CircleCheck, PenLine, TriangleAlert, UsersRound } from 'lucide-react'
import { useState } from 'react'
import { Radio, RadioGroup } from 'react-aria-components'
import { call } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { ListFilters } from '../../records/list/list-filters.tsx'
import list from '../../records/list/list-page.module.css'
import page from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Toggle } from '../../ui/filter.tsx'
import { Empty, NotPermitted, NotRead } from '../../ui/notes.tsx'
import { Pager } from '../../ui/pager.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useWords } from '../../words/index.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import styles from './access.module.css'
import { LastLogin, Marks, SinglePermissions } from './account-parts.tsx'
import { Remarks } from './accounts-page.tsx'
import {
  type Account,
  accessOf,
  countDecided,
  type Decision,
  type Decisions,
  decisionOf,
  findingsOf,
} from './decisions.ts'

const perRequest = 100
const perPage = 25

/** All of them: a review is of every account. One that changes between two pages makes it begin again. */
async function readAllAccounts(signal: AbortSignal) {
  const read = (at: number) =>
    call('GET /api/users/access-review', { query: { page: at, page_size: perRequest, sort: 'username:asc' } }, signal)
  const first = await read(1)
  const accounts = [...first.items]
  for (let at = 2; at <= first.pages; at++) {
    const next = await read(at)
    if (next.accounts_sha256 !== first.accounts_sha256) return readAllAccounts(signal)
    accounts.push(...next.items)
  }
  return { accounts, accounts_sha256: first.accounts_sha256, remarks: first.remarks }
}

export function NewAccessReviewPage() {
  const { access: w } = useEvidenceWords()
  const whyNot = useWhyNot('users.review_access')
  useTitle(w.begin)
  if (whyNot) return <NotPermitted why={whyNot} />
  return <NewReview />
}

/** Each account decided, then all of them signed. */
function NewReview() {
  const { access: w } = useEvidenceWords()
  const { id } = useMe()
  const [draft, setDraft] = useDraft(`access-review ${id}`)
  const decisions = (draft ? JSON.parse(draft) : {}) as Decisions
  const keep = (changes: Decisions) => setDraft(JSON.stringify({ ...decisions, ...changes }))
  const { data, error, refetch } = useQuery({
    queryKey: ['GET /api/users/access-review', 'all accounts'],
    queryFn: ({ signal }) => readAllAccounts(signal),
  })
  const [dialog, setDialog] = useState<'sign' | 'stop'>()
  const counts = countDecided(decisions, data?.accounts ?? [])
  const undecided = (data?.accounts.length ?? 0) - counts.decided
  const whyNot = undecided > 0 ? w.whyNot.undecided(undecided) : counts.withoutRemark > 0 ? w.whyNot.remark : undefined
  return (
    <div className={list.page}>
      <header className={list.head}>
        <div className={page.head}>
          <Link to={paths.accounts} className={page.back}>
            <ChevronLeft size={14} aria-hidden="true" />
            {w.title}
          </Link>
          <h1>{w.begin}</h1>
          <p className="soft">{w.about}</p>
        </div>
      </header>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={14} />
      ) : (
        <>
          <Remarks of={data.remarks} />
          <Lines accounts={data.accounts} decisions={decisions} keep={keep} />
          <div className={styles.bar} data-print="none">
            <p role="status">{w.progress(counts.decided, data.accounts.length)}</p>
            <div className={styles.buttons}>
              {draft !== '' && <Button onPress={() => setDialog('stop')}>{w.stop}</Button>}
              <Button look="main" icon={PenLine} whyNot={whyNot} onPress={() => setDialog('sign')}>
                {w.sign}
              </Button>
            </div>
          </div>
          {dialog === 'sign' && (
            <SignReview
              accounts={data.accounts}
              sha256={data.accounts_sha256}
              findings={findingsOf(decisions, data.accounts, w.findingOf)}
              onSigned={() => setDraft('')}
              onClose={() => setDialog(undefined)}
            />
          )}
        </>
      )}
      {dialog === 'stop' && (
        <StopDialog
          onStop={() => {
            setDraft('')
            setDialog(undefined)
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  )
}

interface LinesProps {
  accounts: Account[]
  decisions: Decisions
  keep: (changes: Decisions) => void
}

function Lines({ accounts, decisions, keep }: LinesProps) {
  const { access: w } = useEvidenceWords()
  const [q, setQ] = useState('')
  const [only, setOnly] = useState<'open' | 'findings'>()
  const [at, setAt] = useState(1)
  const found = accounts.filter(account => {
    const decision = decisionOf(decisions, account)
    if (only === 'open' && decision !== undefined) return false
    if (only === 'findings' && decision?.isOk !== false) return false
    return `${nameOf(account)} ${account.username}`.toLowerCase().includes(q.toLowerCase())
  })
  const pages = Math.max(1, Math.ceil(found.length / perPage))
  const current = Math.min(at, pages)
  const shown = found.slice((current - 1) * perPage, current * perPage)
  const open = shown.filter(account => decisionOf(decisions, account) === undefined)
  const narrowBy = (next: typeof only) => {
    setOnly(next)
    setAt(1)
  }
  return (
    <>
      <ListFilters search={w.search} text={q} onSearch={text => setQ(text ?? '')}>
        <Toggle name={w.open} isOn={only === 'open'} onChange={isOn => narrowBy(isOn ? 'open' : undefined)} />
        <Toggle
          name={w.findings}
          isOn={only === 'findings'}
          onChange={isOn => narrowBy(isOn ? 'findings' : undefined)}
        />
        {open.length > 1 && (
          <Button
            look="quiet"
            icon={CheckCheck}
            onPress={() =>
              keep(
                Object.fromEntries(
                  open.map(each => [each.user_id, { isOk: true, remark: '', access: accessOf(each) }]),
                ),
              )
            }
          >
            {w.allOk}
          </Button>
        )}
      </ListFilters>
      {shown.length === 0 ? (
        <Empty icon={UsersRound} title={w.none} />
      ) : (
        <>
          <ul className={styles.lines}>
            {shown.map(account => (
              <Line
                key={account.user_id}
                account={account}
                decision={decisionOf(decisions, account)}
                onDecide={decision => keep({ [account.user_id]: { ...decision, access: accessOf(account) } })}
              />
            ))}
          </ul>
          <Pager of={{ items: shown, page: current, pages, total: found.length }} size={perPage} onPage={setAt} />
        </>
      )}
    </>
  )
}

interface LineProps {
  account: Account
  decision: Decision | undefined
  onDecide: (decision: Omit<Decision, 'access'>) => void
}

function Line({ account, decision, onDecide }: LineProps) {
  const { access: w } = useEvidenceWords()
  const name = nameOf(account)
  const remark = decision?.remark ?? ''
  return (
    <li>
      <span className={styles.account}>
        <Person of={account} />
        <span className="soft">{account.full_name !== null && account.username}</span>
        <Marks of={account} />
      </span>
      <p className={styles.facts}>
        {account.role} · {w.columns.login}: <LastLogin of={account} />
        {account.granted_count + account.denied_count > 0 && (
          <>
            {' · '}
            <SinglePermissions of={account} />
          </>
        )}
        {!account.second_factor && ` · ${w.columns.secondFactor}: ${w.notSet}`}
        {!account.identity_verified && ` · ${w.columns.identity}: ${w.notVerified}`}
      </p>
      <RadioGroup
        className={styles.decision!}
        aria-label={w.decide(name)}
        orientation="horizontal"
        value={decision === undefined ? null : decision.isOk ? 'ok' : 'finding'}
        onChange={value => onDecide({ isOk: value === 'ok', remark })}
      >
        <Radio value="ok" className={`${styles.choice} ${styles.ok}`}>
          <CircleCheck size={14} aria-hidden="true" />
          {w.ok}
        </Radio>
        <Radio value="finding" className={`${styles.choice} ${styles.finding}`}>
          <TriangleAlert size={14} aria-hidden="true" />
          {w.finding}
        </Radio>
      </RadioGroup>
      {decision?.isOk === false && (
        <div className={styles.remark}>
          <Field
            label={w.remarkOn(name)}
            hint={w.remarkHint}
            isRequired
            maxLength={1000}
            value={remark}
            onChange={text => onDecide({ isOk: false, remark: text })}
          />
        </div>
      )}
    </li>
  )
}

interface SignProps {
  accounts: Account[]
  sha256: string
  /** Empty: none. */
  findings: string
  onSigned: () => void
  onClose: () => void
}

function SignReview({ accounts, sha256, findings, onSigned, onClose }: SignProps) {
  const { access: w } = useEvidenceWords()
  const navigate = useNavigate()
  const client = useQueryClient()
  const outcome = findings === '' ? 'no_findings' : 'findings'
  return (
    <SignDialog
      of={{ id: 0, title: w.subject(accounts.length) }}
      page={paths.accessReviews}
      title={w.signTitle}
      meaning={w.meanings[outcome]}
      draft="access-review-remark"
      act={() => ({
        name: 'POST /api/users/access-reviews/',
        path: undefined,
        body: { accounts_sha256: sha256, outcome, ...(findings !== '' && { findings }) },
      })}
      submit={w.sign}
      note={findings !== '' && <span className={styles.text}>{findings}</span>}
      onDone={({ id }) => {
        onSigned()
        announce(w.done)
        void refresh(client, 'users/')
        void navigate({ to: paths.accessReview, params: { id } })
      }}
      onClose={() => {
        // Whoever comes back sees the accounts as they are now.
        void refresh(client, 'users/access-review')
        onClose()
      }}
    />
  )
}

function StopDialog({ onStop, onClose }: { onStop: () => void; onClose: () => void }) {
  const { access: w } = useEvidenceWords()
  const { common } = useWords()
  return (
    <Dialog isOpen onClose={onClose} title={w.stopTitle}>
      <p>{w.stopHint}</p>
      <DialogButtons>
        <Button onPress={onClose}>{common.cancel}</Button>
        <Button look="danger" onPress={onStop}>
          {w.stop}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

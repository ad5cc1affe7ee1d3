import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleX,
  Copy,
  Ellipsis,
  Flame,
  type LucideIcon,
  OctagonAlert,
  Plus,
  Printer,
  SearchX,
  Undo2,
  UserRoundCheck,
} from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { type Answer, callForFile } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import page from '../../records/record-page.module.css'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Empty, NotRead, Refused } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { saveBytes } from '../../ui/save.ts'
import { announce } from '../../ui/toasts.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './copies.module.css'
import {
  ConfirmDialog,
  IssueDialog,
  RecallDialog,
  ReconcileDialog,
  ReprintDialog,
  TransferDialog,
} from './copy-dialogs.tsx'
import { useCopyWords } from './copy-words.ts'

type Document = Answer<'GET /api/documents/{id}'>
export type ControlledCopy = Answer<'GET /api/controlled-copies/'>['items'][number]

/** The controlled copies of the document that this person manages or holds. */
export function Copies({ document }: { document: Document }) {
  const w = useCopyWords()
  const { permissions } = useMe()
  const [isIssuing, setIssuing] = useState(false)
  const { data, error, refetch } = useQuery(
    ask('GET /api/controlled-copies/', { query: { document_id: [document.id], page_size: 100, sort: 'id:desc' } }),
  )
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  const isManaged = permissions.includes('documents.print_controlled')
  return (
    <div className={styles.copies}>
      {isManaged && (
        <p className={styles.issue} data-print="none">
          <span className="soft">{w.about}</span>
          <Button
            icon={Plus}
            whyNot={document.effective_version === null ? w.notEffective : undefined}
            onPress={() => setIssuing(true)}
          >
            {w.issue.action}
          </Button>
        </p>
      )}
      {data.items.length === 0 ? (
        <Empty icon={Copy} title={isManaged ? w.none : w.noneOfYours} />
      ) : (
        <ul className={styles.list}>
          {data.items.map(copy => (
            <Line key={copy.id} copy={copy} />
          ))}
        </ul>
      )}
      {isIssuing && <IssueDialog document={document} onClose={() => setIssuing(false)} />}
    </div>
  )
}

const looks: Record<ControlledCopy['status'], [LucideIcon, string]> = {
  issued: [CircleCheck, 'good'],
  recalled: [Undo2, 'warn'],
  returned: [CircleDashed, 'idle'],
  destroyed: [Flame, 'idle'],
  lost: [SearchX, 'bad'],
  cancelled: [Ban, 'idle'],
}

function Line({ copy }: { copy: ControlledCopy }) {
  const w = useCopyWords()
  const { document: dw } = useWords()
  const { day } = useFormat()
  const { number, version, status, holder, location, purpose, issued_at, prints, due_date, overdue } = copy
  const [Icon, look] = looks[status]
  return (
    <li>
      <div>
        <p className={styles.what}>
          <span className="number">{number}</span>
          <span className={`${styles.state} ${styles[look]}`}>
            <Icon size={14} aria-hidden="true" />
            {w.states[status]}
          </span>
          <span className="soft">{dw.versionOf(version)}</span>
        </p>
        <p className={styles.who}>
          <Person of={holder} /> <span className="soft">{location}</span>
        </p>
        {purpose && <p className="soft">{purpose}</p>}
        <p className="soft">
          {w.issuedOn(day(issued_at))} · {w.prints(prints)}
        </p>
        {due_date && (status === 'recalled' || overdue) && (
          <p className={overdue ? styles.late : 'soft'}>
            {overdue && <OctagonAlert size={14} aria-hidden="true" />}
            {w.dueBack(day(due_date))}
          </p>
        )}
        {copy.confirmed_outcome && copy.confirmed_by && (
          <p>
            {w.said(nameOf(copy.confirmed_by), w.states[copy.confirmed_outcome])}
            {copy.confirmation_comment && `: ${copy.confirmation_comment}`}
          </p>
        )}
        {copy.reconciled_by && copy.reconciled_at && (
          <p className="soft">
            {w.reconciled(nameOf(copy.reconciled_by), day(copy.reconciled_at))}
            {copy.reconciliation_reason && `: ${copy.reconciliation_reason}`}
          </p>
        )}
      </div>
      <LineActions copy={copy} />
    </li>
  )
}

type Act = 'confirm' | 'recall' | 'transfer' | 'reconcile' | 'reprint'

function LineActions({ copy }: { copy: ControlledCopy }) {
  const w = useCopyWords()
  const me = useMe()
  const [act, setAct] = useState<Act>()
  const client = useQueryClient()
  const print = useMutation<Uint8Array, Problem>({
    mutationFn: () => callForFile('POST /api/controlled-copies/{id}/print', { path: { id: copy.id }, body: {} }),
    onSuccess: bytes => {
      saveBytes(bytes, `${copy.number}.pdf`)
      announce(w.print.done(copy.number))
      return refresh(client, 'controlled-copies/')
    },
  })
  const isManaged = me.permissions.includes('documents.print_controlled')
  const isHolder = copy.holder.id === me.id
  const isOpen = copy.status === 'issued' || copy.status === 'recalled'
  const isConfirmed = copy.confirmed_at !== null
  const canReconcile = isManaged && (isOpen || copy.status === 'lost')
  const whyNotPrinted = copy.prints === 0 ? w.whyNot.neverPrinted : undefined
  const whyNotReconciled = whyNotPrinted ?? (isHolder || copy.confirmed_by?.id === me.id ? w.whyNot.own : undefined)
  if (!canReconcile && !(isHolder && isOpen)) return null
  const close = () => setAct(undefined)
  return (
    <div className={styles.actions} data-print="none">
      <Menu
        label={w.actions(copy.number)}
        trigger={
          <AriaButton className={page.more!} aria-label={w.actions(copy.number)}>
            <Ellipsis size={17} aria-hidden="true" />
          </AriaButton>
        }
      >
        {isHolder && isOpen && (
          <MenuItem
            icon={CircleCheck}
            name={w.confirm.action}
            whyNot={isConfirmed ? w.whyNot.confirmed : whyNotPrinted}
            onAction={() => setAct('confirm')}
          />
        )}
        {isManaged && copy.status === 'issued' && (
          <MenuItem
            icon={Printer}
            name={copy.prints > 0 ? w.reprint.action : w.print.action}
            whyNot={isConfirmed ? w.whyNot.confirmed : undefined}
            onAction={() => (copy.prints > 0 ? setAct('reprint') : print.mutate())}
          />
        )}
        {isManaged && copy.status === 'issued' && (
          <MenuItem icon={Undo2} name={w.recall.action} onAction={() => setAct('recall')} />
        )}
        {isManaged && isOpen && (
          <MenuItem
            icon={UserRoundCheck}
            name={w.transfer.action}
            whyNot={isConfirmed ? w.whyNot.confirmed : undefined}
            onAction={() => setAct('transfer')}
          />
        )}
        {canReconcile && (
          <MenuItem
            icon={CircleX}
            name={w.reconcile.action}
            whyNot={whyNotReconciled}
            onAction={() => setAct('reconcile')}
          />
        )}
      </Menu>
      {print.error && <Refused error={print.error} />}
      {act === 'confirm' && <ConfirmDialog copy={copy} onClose={close} />}
      {act === 'reprint' && <ReprintDialog copy={copy} onClose={close} />}
      {act === 'recall' && <RecallDialog copy={copy} onClose={close} />}
      {act === 'transfer' && <TransferDialog copy={copy} onClose={close} />}
      {act === 'reconcile' && <ReconcileDialog copy={copy} onClose={close} />}
    </div>
  )
}

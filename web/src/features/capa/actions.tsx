import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import {
  Ban,
  Check,
  ChevronDown,
  ChevronUp,
  Circle,
  CircleCheck,
  CircleDot,
  CircleX,
  Ellipsis,
  FileText,
  GripVertical,
  PenLine,
  Plus,
  RotateCcw,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton, GridList, GridListItem, useDragAndDrop } from 'react-aria-components'
import { type Answer, addressOf, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refreshRecords } from '../../api/queries.ts'
import { canTake, isOffered, whyNotOf } from '../../records/allowed.ts'
import { attachmentsOf } from '../../records/case/attachments.tsx'
import { Late } from '../../records/case/late.tsx'
import parts from '../../records/case/parts.module.css'
import { FingerHandle } from '../../records/fields/finger-handle.tsx'
import { useDayOfCompany, useImportWords } from '../../records/imported-facts.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Menu, MenuItem, MenuLine } from '../../ui/menu.tsx'
import { Refused } from '../../ui/notes.tsx'
import { Person } from '../../ui/person.tsx'
import { Status } from '../../ui/status.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useActWords } from '../../words/acts.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { type ActionAct, ActionDialog } from './action-dialogs.tsx'
import styles from './actions.module.css'
import { type Action, type Capa, caseOf, youOf, youOfAction } from './capa.ts'
import { useCapaWords } from './words.ts'

/** What is done about it: reordered by mouse, finger and keys, and ticked off one by one with its evidence. */
export function Actions({ of: capa }: { of: Capa }) {
  const w = useCapaWords()
  const [act, setAct] = useState<ActionAct>()
  // Only while it differs from what is stored; the service orders them.
  const [order, setOrder] = useState<number[]>()
  const { actions } = capa
  const you = youOf(capa)
  const canOrder = you.may.includes('order_actions') && actions.length > 1
  const ids = order ?? actions.map(({ id }) => id)
  const shown = ids.flatMap(id => actions.filter(each => each.id === id))
  // Somebody added or removed one meanwhile: then there is nothing to order by.
  const isStale = order !== undefined && (shown.length !== actions.length || ids.length !== actions.length)
  if (isStale) setOrder(undefined)

  const move = (id: number, to: number) => {
    const rest = ids.filter(each => each !== id)
    setOrder(rest.toSpliced(to, 0, id))
  }
  const drop = (id: string, target: string, isAfter: boolean) => {
    const rest = ids.filter(each => each !== Number(id))
    setOrder(rest.toSpliced(rest.indexOf(Number(target)) + (isAfter ? 1 : 0), 0, Number(id)))
  }
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: keys => [...keys].map(key => ({ 'text/plain': String(key) })),
    onReorder({ keys, target: { key, dropPosition } }) {
      if (!keys.has(key)) for (const each of keys) drop(String(each), String(key), dropPosition === 'after')
    },
    isDisabled: !canOrder,
  })
  const done = actions.filter(({ status }) => status === 'done').length
  const counted = actions.filter(({ status }) => status !== 'cancelled').length
  return (
    <section className={parts.part} aria-labelledby="actions">
      <header className={parts.head}>
        <h2 id="actions">
          {w.actions} {counted > 0 && <span className={styles.count}>{w.doneOf(done, counted)}</span>}
        </h2>
        {isOffered(you, 'add_action') && (
          <span data-print="none">
            <Button
              look="quiet"
              icon={Plus}
              whyNot={whyNotOf(you, 'add_action')}
              onPress={() => setAct({ name: 'add' })}
            >
              {w.addAction}
            </Button>
          </span>
        )}
      </header>
      {shown.length === 0 ? (
        <p className="soft">{w.noActions}</p>
      ) : (
        <GridList
          // A list that can be ordered is another one than a list that cannot.
          key={String(canOrder)}
          aria-labelledby="actions"
          className={styles.list!}
          items={shown}
          selectionMode="none"
          dependencies={[capa, order]}
          {...(canOrder && { dragAndDropHooks })}
        >
          {action => (
            <GridListItem
              id={action.id}
              textValue={action.description}
              className={`${styles.action} ${styles[action.status] ?? ''}`}
            >
              {canOrder && (
                <FingerHandle onDrop={drop}>
                  <AriaButton slot="drag" className={styles.grip!} aria-label={w.moveAction(action.description)}>
                    <GripVertical size={16} aria-hidden="true" />
                  </AriaButton>
                </FingerHandle>
              )}
              <Row
                of={action}
                capa={capa}
                onAct={setAct}
                at={ids.indexOf(action.id)}
                last={ids.length - 1}
                onMove={canOrder ? move : undefined}
              />
            </GridListItem>
          )}
        </GridList>
      )}
      {order && !isStale && order.join() !== actions.map(({ id }) => id).join() && (
        <OrderForm of={capa} order={order} onDone={() => setOrder(undefined)} />
      )}
      {act && <ActionDialog of={capa} act={act} onClose={() => setAct(undefined)} />}
    </section>
  )
}

const marks = { open: Circle, in_progress: CircleDot, done: CircleCheck, cancelled: CircleX } as const

interface RowProps {
  of: Action
  capa: Capa
  onAct: (act: ActionAct) => void
  at: number
  last: number
  onMove: ((id: number, to: number) => void) | undefined
}

function Row({ of: action, capa, onAct, at, last, onMove }: RowProps) {
  const w = useCapaWords()
  const { day, moment } = useFormat()
  const { id, description, assigned_to, due_date, overdue, status, evidence, completed_at } = action
  const { completed_by, completed_by_name, approved_at, approved_by_name } = action
  const imported = useImportWords()
  const dayAt = useDayOfCompany()
  const you = youOfAction(action)
  const Mark = marks[status]
  const isDone = status === 'done' || status === 'cancelled'
  const canTick = !isDone && canTake(you, 'complete')
  return (
    <>
      {canTick ? (
        <Button
          look="icon"
          aria-label={w.completeAction(description)}
          icon={Mark}
          onPress={() => onAct({ name: 'complete', action })}
        />
      ) : (
        <span className={styles.mark}>
          <Mark size={18} aria-hidden="true" />
        </span>
      )}
      <div className={styles.what}>
        <p className={styles.description}>{description}</p>
        <p className={styles.meta}>
          {status !== 'open' && <Status of={status} size="s" />}
          <Person of={assigned_to} />
          <Late isLate={overdue}>{w.dueOn(day(due_date))}</Late>
          {completed_at && completed_by && <span>{w.completedAt(moment(completed_at))}</span>}
          {completed_at && !completed_by && (
            <span>{imported.completed(day(dayAt(completed_at)), completed_by_name)}</span>
          )}
          {approved_at && approved_by_name && (
            <span>{imported.verified(day(dayAt(approved_at)), approved_by_name)}</span>
          )}
        </p>
        {(evidence || (action.attachment_ids ?? []).length > 0) && <Evidence of={action} capa={capa} />}
      </div>
      <span data-print="none" className={styles.menu}>
        <ActionMenu of={action} onAct={onAct} at={at} last={last} onMove={onMove && (to => onMove(id, to))} />
      </span>
    </>
  )
}

function Evidence({ of: { evidence, attachment_ids }, capa: { id } }: { of: Action; capa: Capa }) {
  const w = useCapaWords()
  const { data } = useQuery(attachmentsOf('capa', id))
  const files = (data ?? []).filter(each => attachment_ids?.includes(each.id))
  return (
    <div className={styles.evidence}>
      <span className="soft">{w.evidence}</span>
      {evidence && <p>{evidence}</p>}
      {files.map(({ id: attachment_id, file }) => (
        <p key={attachment_id}>
          <FileText size={13} aria-hidden="true" />{' '}
          <a
            href={addressOf('GET /api/capa/{id}/attachments/{attachment_id}/download', { path: { id, attachment_id } })}
            download={file.name}
          >
            {file.name}
          </a>
        </p>
      ))}
    </div>
  )
}

interface MenuProps {
  of: Action
  onAct: (act: ActionAct) => void
  at: number
  last: number
  onMove: ((to: number) => void) | undefined
}

function ActionMenu({ of: action, onAct, at, last, onMove }: MenuProps) {
  const w = useCapaWords()
  const { status, description } = action
  const you = youOfAction(action)
  const change = whyNotOf(you, 'update')
  const isOver = status === 'done' || status === 'cancelled'
  const canChange = isOffered(you, 'update')
  const canReport = isOffered(you, 'complete')
  const canRemove = isOffered(you, 'remove')
  // As it was at an earlier time.
  if (action.you === undefined) return null
  if (!canChange && !canReport && !canRemove && !onMove && !isOver) return null
  if (isOver && !onMove && !canReport && status !== 'done') return null
  return (
    <Menu
      label={w.actionsFor(description)}
      trigger={<Button look="icon" label={w.actionsFor(description)} icon={Ellipsis} />}
    >
      {canReport && !isOver && (
        <MenuItem
          icon={Check}
          name={w.complete}
          whyNot={whyNotOf(you, 'complete')}
          onAction={() => onAct({ name: 'complete', action })}
        />
      )}
      {canReport && status === 'open' && (
        <MenuItem
          icon={CircleDot}
          name={w.begin}
          whyNot={whyNotOf(you, 'complete')}
          onAction={() => onAct({ name: 'begin', action })}
        />
      )}
      {canChange && !isOver && (
        <MenuItem icon={PenLine} name={w.editAction} whyNot={change} onAction={() => onAct({ name: 'edit', action })} />
      )}
      {isOver && <MenuItem icon={RotateCcw} name={w.reopenAction} onAction={() => onAct({ name: 'reopen', action })} />}
      {canChange && !isOver && (
        <MenuItem icon={Ban} name={w.cancelAction} whyNot={change} onAction={() => onAct({ name: 'cancel', action })} />
      )}
      {canRemove && (
        <MenuItem
          icon={Trash2}
          name={w.removeAction}
          whyNot={whyNotOf(you, 'remove')}
          onAction={() => onAct({ name: 'remove', action })}
        />
      )}
      {onMove && (
        <>
          <MenuLine />
          <MenuItem
            icon={ChevronUp}
            name={w.moveUp}
            whyNot={at === 0 ? w.isFirst : undefined}
            onAction={() => onMove(at - 1)}
          />
          <MenuItem
            icon={ChevronDown}
            name={w.moveDown}
            whyNot={at === last ? w.isLast : undefined}
            onAction={() => onMove(at + 1)}
          />
        </>
      )}
    </Menu>
  )
}

/** The new order is stored once it is right, with one reason. */
function OrderForm({ of: capa, order, onDone }: { of: Capa; order: number[]; onDone: () => void }) {
  const w = useCapaWords()
  const acts = useActWords()
  const { common } = useWords()
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const { needsReason, revision } = caseOf(capa)
  const lacksReason = needsReason && reason.trim() === ''
  const { mutate, isPending, error } = useMutation<Answer<'PUT /api/capa/{id}/actions/order'>, Problem>({
    mutationFn: () =>
      call('PUT /api/capa/{id}/actions/order', {
        path: { id: capa.id },
        body: { action_ids: order, revision, ...(reason.trim() && { change_reason: reason.trim() }) },
      }),
    async onSuccess() {
      announce(w.ordered)
      await refreshRecords(client)
      onDone()
    },
    onError: ({ status }) => {
      if (status === 409) void refreshRecords(client)
    },
  })
  const submit = () => {
    setTried(true)
    if (!lacksReason && !isPending) mutate()
  }
  return (
    <Form className={styles.order} onSend={submit} noValidate data-print="none">
      {error && error.issues.length === 0 && <Refused error={error} />}
      <p>{w.orderChanged}</p>
      {needsReason && (
        <Field
          label={acts.changeReason}
          isRequired
          value={reason}
          onChange={setReason}
          wrong={error?.of('change_reason') ?? (isTried && lacksReason ? acts.missing.reason : undefined)}
        />
      )}
      <div className="row at-end">
        <Button onPress={onDone}>{common.cancel}</Button>
        <Button type="submit" look="main" isPending={isPending}>
          {w.saveOrder}
        </Button>
      </div>
    </Form>
  )
}

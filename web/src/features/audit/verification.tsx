import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Download, Ellipsis, FileCheck, type LucideIcon, OctagonAlert, ShieldCheck, ShieldQuestion } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { type Answer, call, serviceNow } from '../../api/client.ts'
import { callInPieces } from '../../api/pieces.ts'
import type { Problem } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { Refused } from '../../ui/notes.tsx'
import { saveBytes } from '../../ui/save.ts'
import { useEvidenceWords } from '../../words/evidence.ts'
import { useFormat, useWords } from '../../words/index.ts'
import styles from './verification.module.css'

interface Verified {
  answer: Answer<'GET /api/audit/verify'>
  at: string
  /** Compared with a checkpoint that the person gave. */
  hasKept: boolean
}
interface Progress {
  entries: number
  of: number
}

/** Known to the pages of this person alone, until they are loaded anew: the service does not keep it. */
const key = ['verification of the audit trail']

/** Whether the trail is whole: it says no more than what the last verification compared. */
export function Verification() {
  const { verification: w } = useEvidenceWords().audit
  const client = useQueryClient()
  const { data: last } = useQuery<Verified | null>({
    queryKey: key,
    queryFn: () => null,
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  const [progress, setProgress] = useState<Progress>()
  const [isComparing, setComparing] = useState(false)
  const { mutate, isPending, error } = useMutation<Verified, Problem, string | undefined>({
    mutationFn: async checkpoint => ({
      answer: await callInPieces('GET /api/audit/verify', { query: { checkpoint } }, setProgress),
      at: new Date(serviceNow()).toISOString(),
      hasKept: checkpoint !== undefined,
    }),
    onMutate: () => setProgress(undefined),
    onSuccess: verified => {
      client.setQueryData(key, verified)
      setComparing(false)
    },
  })
  const checkpoint = useMutation<Answer<'GET /api/audit/checkpoint'>, Problem>({
    mutationFn: () => call('GET /api/audit/checkpoint', {}),
    onSuccess: ({ note, epoch, size }) =>
      saveBytes(new TextEncoder().encode(note), `audit-checkpoint-e${epoch}-${size}.txt`),
  })
  return (
    <section className={styles.verification} aria-label={w.title} data-print="none">
      <div className={styles.line}>
        {isPending ? <Running progress={progress} /> : last ? <Result of={last} /> : <Never />}
        <div className={styles.acts}>
          <Button isPending={isPending} onPress={() => mutate(undefined)}>
            {last ? w.again : w.now}
          </Button>
          <Menu label={w.more} trigger={<Button look="icon" label={w.more} icon={Ellipsis} />}>
            <MenuItem icon={FileCheck} name={w.compare} onAction={() => setComparing(true)} />
            <MenuItem icon={Download} name={w.saveCheckpoint} onAction={() => checkpoint.mutate()} />
          </Menu>
        </div>
      </div>
      {error && !isComparing && <Refused error={error} />}
      {checkpoint.error && <Refused error={checkpoint.error} />}
      {isComparing && (
        <CompareDialog error={error} isPending={isPending} onVerify={mutate} onClose={() => setComparing(false)} />
      )}
    </section>
  )
}

function Said({ icon: Icon, look, children }: { icon: LucideIcon; look: string; children: ReactNode }) {
  return (
    <div className={styles.said}>
      <span className={styles[look]}>
        <Icon size={20} aria-hidden="true" />
      </span>
      <div>{children}</div>
    </div>
  )
}

function Never() {
  const { verification: w } = useEvidenceWords().audit
  return (
    <Said icon={ShieldQuestion} look="idle">
      <p>{w.never}</p>
      <p className={styles.detail}>{w.neverHint}</p>
    </Said>
  )
}

function Running({ progress }: { progress: Progress | undefined }) {
  const { verification: w } = useEvidenceWords().audit
  const { locale } = useFormat()
  const text = progress
    ? w.running(progress.entries.toLocaleString(locale), progress.of.toLocaleString(locale))
    : w.beginning
  return (
    <Said icon={ShieldQuestion} look="idle">
      <p role="status">{text}</p>
      <progress className={styles.progress} aria-label={w.beginning} value={progress?.entries} max={progress?.of} />
    </Said>
  )
}

function Result({ of: { answer, at, hasKept } }: { of: Verified }) {
  const { verification: w } = useEvidenceWords().audit
  const { locale, ago, moment } = useFormat()
  const { valid, checked, unchecked, failures, warnings } = answer
  const count = (n: number) => n.toLocaleString(locale)
  return (
    <Said icon={valid ? ShieldCheck : OctagonAlert} look={valid ? 'good' : 'bad'}>
      <p role="status" title={moment(at)} className={valid ? styles.strong : styles.broken}>
        {valid ? w.whole(count(checked.entries), ago(at)) : w.broken(failures.length, ago(at))}
      </p>
      <p className={styles.detail}>
        {w.compared(count(checked.checkpoints), checked.epochs)} {valid && hasKept && `${w.kept} `}
        {unchecked.waiting > 0 && `${w.waiting(unchecked.waiting)} `}
        {checked.redacted > 0 && `${w.redacted(checked.redacted)} `}
        {w.limits}
      </p>
      <Findings of={failures} look="bad" />
      {warnings.length > 0 && <p className={styles.warned}>{w.warnings(warnings.length)}</p>}
      <Findings of={warnings} look="warn" />
    </Said>
  )
}

type Finding = Pick<Verified['answer']['failures'][number], 'seq' | 'entry_id' | 'sentence'>

function Findings({ of: findings, look }: { of: Finding[]; look: string }) {
  const { verification: w } = useEvidenceWords().audit
  const { locale } = useFormat()
  if (findings.length === 0) return null
  return (
    <ul className={`${styles.findings} ${styles[look]}`}>
      {findings.map(({ seq, entry_id, sentence }) => (
        <li key={`${seq} ${entry_id} ${sentence}`}>
          {seq !== null && <b>{w.entry(seq.toLocaleString(locale))}: </b>}
          {sentence}
        </li>
      ))}
    </ul>
  )
}

interface CompareProps {
  error: Problem | null
  isPending: boolean
  onVerify: (checkpoint: string) => void
  onClose: () => void
}

/** A log that was cut off, or made anew, does not continue what somebody kept of it. */
function CompareDialog({ error, isPending, onVerify, onClose }: CompareProps) {
  const { verification: w } = useEvidenceWords().audit
  const { common } = useWords()
  const [note, setNote] = useState('')
  const wrong = error?.of('checkpoint')
  const send = () => {
    // A line of a signed note ends with its end of line, which is lost where a text is copied.
    if (!isPending && note.trim()) onVerify(`${note.trim()}\n`)
  }
  return (
    <Dialog isOpen onClose={onClose} title={w.compareTitle} about={w.compareHint} size="m">
      <Form onSend={send}>
        {error && wrong === undefined && <Refused error={error} />}
        <Field
          label={w.checkpoint}
          rows={7}
          autoFocus
          isRequired
          maxLength={4000}
          value={note}
          onChange={setNote}
          wrong={wrong}
        />
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="main" isPending={isPending}>
            {w.now}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

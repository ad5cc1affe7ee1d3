import { type ActionContext, command } from '#action'
import { requireAll } from '#action/allowed.ts'
import { refuseStale } from '#action/revision.ts'
import { monthsLater } from '#kernel/day.ts'
import { conflict, invalid, invalidField } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { listDeciders, listHolders, todayOf } from '#modules/accounts'
import { proveToSign, type RecordProof, signRecord } from '#modules/signatures'
import { findAssignment, updateAssignment } from '../assignments/queries.ts'
import { renewalOn } from '../assignments/rules.ts'
import { messages, reasons } from '../messages.ts'
import { checkAnswers, grade } from '../programs/quiz-rules.ts'
import { attemptsLeft, trainingTransitions, transitionAfter } from '../rules.ts'
import { lockWaitingVersion } from './gate.ts'
import { asStored, findOpening, insertAttempt } from './queries.ts'
import { Completion, CompletionResult } from './schema.ts'
import { readAssignment } from './subject.ts'
import { auditFieldsOf, checksOf, requireOwn, type Work } from './work.ts'

/** With more trainers than these, some are enough, because the list shows the request to all of them. */
const MAX_NOTIFIED = 100

function requireAnswers({ program, quiz }: Work, { answers, quiz_version }: Completion) {
  const { number } = program
  if (!quiz) {
    if (answers) throw invalidField('answers', messages.training_has_no_questions({ number }))
    return
  }
  if (!answers) throw invalidField('answers', messages.training_answers_required({ number }))
  if (quiz_version !== undefined && quiz_version !== quiz.version)
    throw conflict(messages.training_questions_changed({ number, quiz_version: quiz.version }))
  const issues = checkAnswers(quiz.questions, answers)
  if (issues.length > 0) throw invalid(...issues)
}

/** Checks all conditions except the score. */
async function requireCompletable(
  context: Pick<ActionContext<unknown>, 'tx' | 'services'>,
  work: Work,
  body: Completion,
) {
  await requireAll(checksOf(context, work, trainingTransitions.complete, body))
  requireAnswers(work, body)
}

interface Prepared {
  proof: RecordProof
  assignment_id: number
  /** The revision that the trainee saw. */
  content_revision: number
  quiz_version: number | null
}

export const complete = command({
  summary: 'Complete your own training',
  description:
    'Signed: `password` (and `otp`), or a fresh log-in. `answers` are required if the program has questions; below the passing score nothing is signed, and the response says how many attempts are left. The signature binds the version of the document that was read.',
  permission: trainingTransitions.complete.permission,
  input: { params: IdParams, body: Completion },
  response: CompletionResult,
  async prepare(context, { params, body }): Promise<Prepared> {
    const { program, assignment } = await context.read(async tx => {
      const work = await requireOwn({ tx, actor: context.actor }, params.id, { lock: false })
      await requireCompletable({ tx, services: context.services }, work, body)
      return work
    })
    // An attempt that does not pass needs a proven identity too.
    const proof = await proveToSign(context, { type: 'training_assignment', id: assignment.id }, body)
    const { id: assignment_id, content_revision } = assignment
    return { proof, assignment_id, content_revision, quiz_version: program.quiz_version }
  },
  async run(context, { params, body }) {
    const { tx, prepared } = context
    const releaseWaiting = await lockWaitingVersion(context, params.id)
    const work = await requireOwn(context, params.id, { lock: true })
    const { program, assignment, quiz } = work
    await refuseStale(context, 'training_assignment', assignment)
    await requireCompletable(context, work, body)
    const isSame = prepared.assignment_id === assignment.id && prepared.quiz_version === program.quiz_version
    if (!isSame || prepared.content_revision !== assignment.content_revision)
      throw conflict(messages.training_changed_meanwhile({ number: program.number }))
    const score = quiz ? grade(quiz.questions, body.answers!) : null
    const attempts = assignment.attempts + (quiz ? 1 : 0)
    const transition = transitionAfter(assignment.status, { score, attempts }, quiz)
    const passed = transition?.to === 'completed'
    if (quiz)
      await insertAttempt(tx, {
        assignment_id: assignment.id,
        attempt_number: attempts,
        quiz_id: quiz.id,
        answers: body.answers!,
        score: score!,
        passed,
      })
    // Whoever is about to sign does not learn beforehand whether their answers pass.
    if (passed || context.rehearsal) await signCompletion(context, work, { score, attempts, intent: body.intent })
    else await countAttempt(context, work, { score: score!, attempts, isLast: transition?.to === 'failed' })
    if (passed) await releaseWaiting()
    const after = (await findAssignment(tx, assignment.id, await todayOf(context)))!
    const isOpen = after.status === 'in_progress'
    return { ...after, passed, attempts_left: quiz && isOpen ? attemptsLeft(quiz, after.attempts) : null }
  },
})

const statementOf = ({ program, version }: Work) =>
  program.type === 'read_and_understand'
    ? `I have read and understood version ${version!.version} of ${program.title}`
    : `I have completed ${program.number}: ${program.title}`

async function signCompletion(
  context: ActionContext<Prepared>,
  work: Work,
  { score, attempts, intent }: { score: number | null; attempts: number; intent: string | undefined },
) {
  const { tx, record, services, prepared } = context
  const { program, assignment } = work
  const { id, user_id, status, revision } = assignment
  const completed_at = await asStored(tx, services.clock.now().toISOString())
  const today = await todayOf(context)
  const opening = await findOpening(tx, id)
  const { valid_months } = program
  const valid_until = valid_months === null ? null : monthsLater(today, valid_months)
  const outcome = {
    started_at: assignment.started_at ?? completed_at,
    completed_at,
    attempts,
    score,
    program_title: program.title,
    valid_until,
    opened_at: opening?.opened_at ?? null,
    opened_version_id: opening?.opened_version_id ?? null,
  }
  const subject = (await readAssignment(tx, id))!
  const signature_id = await signRecord(
    context,
    { ...subject, content: { ...subject.content, ...outcome } },
    {
      signature_type: trainingTransitions.complete.signature.type,
      intent: intent ?? statementOf(work).slice(0, 2000),
      occasion: { kind: 'training', ref: 'complete' },
      proof: prepared.proof,
      fillsIn: true,
    },
  )
  const started_at = assignment.started_at ?? completed_at
  const notice_on = valid_until && renewalOn(today, valid_until)
  await updateAssignment(tx, id, { ...outcome, status: 'completed', started_at, signature_id, notice_on })
  record('training_assignment.completed', id, {
    number: program.number,
    before: { status, revision },
    after: {
      ...auditFieldsOf(work),
      ...outcome,
      opened_version: opening?.opened_version ?? null,
      status: 'completed',
      signature_id,
      revision: revision + 1,
    },
    notify: [user_id],
    assignees: program.requires_verification ? await trainersExcept(context, user_id) : [],
  })
}

const trainersExcept = async ({ tx }: ActionContext<unknown>, userId: number) =>
  (await listDeciders(tx, 'training.verify', 'training.read_all')).filter(id => id !== userId).slice(0, MAX_NOTIFIED)

/** Records an attempt that did not pass; the last one fails the assignment. */
async function countAttempt(
  context: ActionContext<unknown>,
  work: Work,
  { score, attempts, isLast }: { score: number; attempts: number; isLast: boolean },
) {
  const { tx, record, services } = context
  const { program, assignment, quiz } = work
  const { id, user_id, status, revision } = assignment
  const to = isLast ? 'failed' : 'in_progress'
  const { passing_score: required, max_attempts } = quiz!
  const reason = reasons.reason_quiz_not_passed({ score, required, attempt: attempts, attempts: max_attempts }).text
  const started_at = assignment.started_at ?? services.clock.now().toISOString()
  const values = { status: to, started_at, attempts, score, ...(isLast && { reason, notice_on: null }) } as const
  await updateAssignment(tx, id, values, { isContent: true })
  record(isLast ? 'training_assignment.failed' : 'training_assignment.attempted', id, {
    number: program.number,
    before: { status, attempts: assignment.attempts, revision },
    after: { ...auditFieldsOf(work), status: to, started_at, attempts, score, revision: revision + 1 },
    reason,
    notify: [user_id, ...(isLast ? await assignerOf(context, work) : [])],
  })
}

/** Notified, because they may assign it again. */
async function assignerOf({ tx }: ActionContext<unknown>, { assignment }: Work) {
  const { assigned_by, user_id } = assignment
  if (assigned_by === null || assigned_by === user_id) return []
  return (await listHolders(tx, 'training.assign', 'training.read_all')).filter(id => id === assigned_by)
}

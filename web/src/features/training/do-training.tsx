import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeft, ArrowRight, Check, PenLine, RotateCcw, TriangleAlert } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { SignDialog } from '../../records/dialogs/sign-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useMe } from '../session/session.ts'
import { Questions } from './questions.tsx'
import { ReadStep } from './read-step.tsx'
import styles from './training-page.module.css'
import {
  type Assignment,
  answersOf,
  areAllAnswered,
  beginning,
  isDone,
  isReadAgain,
  type Program,
  type Step,
  statementOf,
  stepNow,
  stepsOf,
} from './training-steps.ts'
import { useTrainingWords } from './words.ts'

interface Props {
  program: Program
  mine: Assignment
}

/** The steps of a training until it is signed, one at a time. */
export function DoTraining({ program, mine }: Props) {
  const { doing: w } = useTrainingWords()
  const { id: userId } = useMe()
  const { assignment_id, attempts, document_version } = mine
  const draft = `training ${userId} ${assignment_id}`
  const { fields: kept, change: keep, forget } = useFormDraft(draft, beginning)
  const of = useFormDraft(`${draft} ${attempts} ${program.quiz_version}`, {
    answers: beginning.answers,
    isBegun: false,
  })
  const progress = { ...kept, answers: of.fields.answers }
  const [isSigning, setSigning] = useState(false)
  const begin = useStart(program.id, mine)
  const steps = stepsOf(program)
  const step = stepNow(program, progress)
  const at = steps.indexOf(step)
  const goTo = (next: Step | undefined, change: Partial<typeof kept> = {}) => keep({ ...change, step: next ?? '' })
  // What it signed is not what there is any more: whoever comes back here begins the signature anew.
  if (isSigning && step !== 'sign') setSigning(false)
  const previous = steps[at - 1]
  const next = steps[at + 1]

  if (attempts > 0 && !of.fields.isBegun && Object.keys(of.fields.answers).length === 0)
    return (
      <NotPassed
        program={program}
        mine={mine}
        onAgain={() => {
          of.change({ isBegun: true })
          goTo('questions', { at: 0 })
        }}
        {...(steps.includes('read') && {
          onRead: () => {
            of.change({ isBegun: true })
            goTo('read')
          },
        })}
      />
    )
  return (
    <div className={styles.doing}>
      <Stepper
        type={program.type}
        steps={steps}
        step={step}
        isDone={each => isDone(each, program, progress)}
        onStep={each => goTo(each)}
      />
      {begin.error && <Refused error={begin.error} />}
      {isReadAgain(program, progress) && (
        <p className={styles.again} role="alert">
          <TriangleAlert size={15} aria-hidden="true" />
          {w.readAgain(document_version ?? '', progress.read)}
        </p>
      )}
      {kept.quiz > 0 && kept.quiz !== program.quiz_version && (
        <p className={styles.again} role="alert">
          <TriangleAlert size={15} aria-hidden="true" />
          {w.questionsChanged}
        </p>
      )}
      {step === 'read' && (
        <ReadStep
          mine={mine}
          isRead={isDone('read', program, progress)}
          onOpened={begin.start}
          onRead={() => keep({ read: document_version ?? '', step: 'read' })}
          next={
            <Forward
              whyNot={isDone('read', program, progress) ? undefined : w.notRead}
              onPress={() => goTo(next)}
              step={next}
            />
          }
        />
      )}
      {step === 'work' && (
        <>
          <WorkStep program={program} />
          <Bar>
            <Forward
              onPress={() => {
                begin.start()
                goTo(next, { isWorkDone: true })
              }}
              step={next}
            />
          </Bar>
        </>
      )}
      {step === 'questions' && (
        <Questions
          questions={program.questions}
          answers={of.fields.answers}
          at={Math.min(kept.at, program.questions.length - 1)}
          onAnswer={(question, options) => {
            begin.start()
            keep({ quiz: program.quiz_version ?? 0 })
            of.change({ answers: { ...of.fields.answers, [question]: options } })
          }}
          onMove={to => keep({ at: to, step: 'questions' })}
          onBack={previous && (() => goTo(previous))}
          onEnd={() => goTo('sign')}
        />
      )}
      {step === 'sign' && (
        <>
          <Summary
            program={program}
            mine={mine}
            answers={of.fields.answers}
            onChange={question => goTo('questions', { at: question })}
          />
          <Bar>
            {previous && (
              <Button icon={ArrowLeft} onPress={() => goTo(previous)}>
                {w.back}
              </Button>
            )}
            <Button look="main" icon={PenLine} onPress={() => setSigning(true)}>
              {w.toSign}
            </Button>
          </Bar>
        </>
      )}
      {isSigning && (
        <SignDialog
          of={{ id: assignment_id, revision: mine.revision, number: program.number, title: program.title }}
          page={`/training/${program.id}`}
          title={w.signTitle}
          meaning={program.type === 'read_and_understand' ? w.declareRead(document_version ?? '') : w.declareDone}
          intent={statementOf(program)}
          draft="training signature"
          changed={w.changed}
          act={() => ({
            name: 'POST /api/training/{id}/complete',
            path: { id: program.id },
            body: {
              intent: statementOf(program),
              ...(document_version && program.type === 'read_and_understand' && { document_version }),
              ...(program.quiz_version !== null && {
                quiz_version: program.quiz_version,
                answers: answersOf(program.questions, of.fields.answers),
              }),
            },
          })}
          submit={program.questions.length > 0 ? w.submitAnswers : w.submit}
          onDone={answer => {
            of.forget()
            if (!answer.passed) return
            forget()
            announce(w.done(program.number), answer.verification.required ? w.awaitsTrainer : undefined)
          }}
          onClose={() => setSigning(false)}
        />
      )}
    </div>
  )
}

/** Tells the service that somebody has begun: once, and again where another version is opened. */
function useStart(id: number, { status, opened, document_version }: Assignment) {
  const client = useQueryClient()
  const said = useRef('')
  const { mutate, error } = useMutation<unknown, Problem>({
    mutationFn: () => call('POST /api/training/{id}/start', { path: { id } }),
    onSuccess: () => refresh(client, 'training/', 'dashboard/'),
    onError: () => {
      said.current = ''
      void refresh(client, 'training/')
    },
  })
  const wanted = `${document_version}`
  const isKnown = status === 'in_progress' && (document_version === null || opened?.version === document_version)
  return {
    error,
    start: () => {
      if (isKnown || said.current === wanted) return
      said.current = wanted
      mutate()
    },
  }
}

interface StepperProps {
  type: Program['type']
  steps: Step[]
  step: Step
  isDone: (step: Step) => boolean
  onStep: (step: Step) => void
}

function Stepper({ type, steps, step: now, isDone: isStepDone, onStep }: StepperProps) {
  const { doing: w } = useTrainingWords()
  const reached = steps.findIndex(each => !isStepDone(each))
  return (
    <nav aria-label={w.steps} data-print="none">
      <ol className={styles.steps}>
        {steps.map((step, index) => {
          const done = isStepDone(step)
          const mark = (
            <>
              <span className={styles.mark} aria-hidden="true">
                {done ? <Check size={13} strokeWidth={3} /> : index + 1}
              </span>
              {w.step[step === 'work' && type === 'quiz' ? 'intro' : step]}
              {done && <span className="visually-hidden">{w.stepDone}</span>}
            </>
          )
          return (
            <li key={step} className={step === now ? styles.now : done ? styles.past : ''}>
              {step !== now && index <= reached ? (
                <AriaButton className={styles.stepButton!} onPress={() => onStep(step)}>
                  {mark}
                </AriaButton>
              ) : (
                <span aria-current={step === now ? 'step' : undefined}>{mark}</span>
              )}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

/** The buttons of a step. They stay in sight, so that a finger finds them where they were. */
export const Bar = ({ children }: { children: ReactNode }) => (
  <footer className={styles.bar} data-print="none">
    {children}
  </footer>
)

function Forward({
  step,
  whyNot,
  onPress,
}: {
  step: Step | undefined
  whyNot?: string | undefined
  onPress: () => void
}) {
  const { doing: w } = useTrainingWords()
  return (
    <Button look="main" whyNot={whyNot} onPress={onPress}>
      {step === 'questions' ? w.toQuestions : w.toSignature}
      <ArrowRight size={15} aria-hidden="true" />
    </Button>
  )
}

function WorkStep({ program: { type, description, document, requires_verification } }: { program: Program }) {
  const { doing: w } = useTrainingWords()
  return (
    <section className={styles.sheet} aria-label={w.step.work}>
      {description ? <p className={styles.description}>{description}</p> : <p>{w.workHint[type]}</p>}
      {document && (
        <p>
          {w.workBy}{' '}
          <Link to="/documents/$id" params={{ id: document.id }}>
            {document.number} {document.title}
          </Link>
        </p>
      )}
      {requires_verification && <p className="soft">{w.willBeVerified}</p>}
    </section>
  )
}

function Summary({
  program,
  mine,
  answers,
  onChange,
}: Props & { answers: Record<string, string[]>; onChange: (question: number) => void }) {
  const { doing: w } = useTrainingWords()
  const { questions, passing_score, max_attempts, type } = program
  return (
    <section className={styles.sheet} aria-label={w.step.sign}>
      <h2>{w.summary}</h2>
      {type === 'read_and_understand' && mine.document && (
        <p>{w.youRead(mine.document.number, mine.document_version ?? '')}</p>
      )}
      {questions.length > 0 && (
        <>
          <p className="soft">{w.required(passing_score ?? 0, mine.attempts + 1, max_attempts ?? 1)}</p>
          <ol className={styles.given}>
            {questions.map(({ key, text, options }, index) => (
              <li key={key}>
                <div>
                  <p>{text}</p>
                  <p className={styles.answer}>
                    {options
                      .filter(option => answers[key]?.includes(option.key))
                      .map(option => option.text)
                      .join(' · ')}
                  </p>
                </div>
                <Button look="quiet" aria-label={w.changeAnswer(index + 1)} onPress={() => onChange(index)}>
                  {w.change}
                </Button>
              </li>
            ))}
          </ol>
          {!areAllAnswered(questions, answers) && <p>{w.unanswered}</p>}
        </>
      )}
      {program.requires_verification && <p className="soft">{w.willBeVerified}</p>}
    </section>
  )
}

/** The answers of the last attempt were not enough, and another one is left. */
function NotPassed({
  program: { passing_score, attempts_left },
  mine: { score, attempts },
  onAgain,
  onRead,
}: Props & { onAgain: () => void; onRead?: () => void }) {
  const { doing: w } = useTrainingWords()
  return (
    <section className={styles.result} aria-label={w.notPassed}>
      <h2>{w.notPassed}</h2>
      <p className={styles.score}>
        <b>{score} %</b> {w.needed(passing_score ?? 0)}
      </p>
      <p>{w.attemptsLeft(attempts_left ?? 0, attempts)}</p>
      <p className="soft">{w.nothingSigned}</p>
      <div className={styles.buttons}>
        {onRead && <Button onPress={onRead}>{w.readOnceMore}</Button>}
        <Button look="main" icon={RotateCcw} onPress={onAgain}>
          {w.tryAgain}
        </Button>
      </div>
    </section>
  )
}

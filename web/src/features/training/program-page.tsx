import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Plus, UserRoundPlus, X } from 'lucide-react'
import { useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, askPage, refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { OrderedList } from '../../records/fields/ordered-list.tsx'
import { PickMany } from '../../records/fields/pick-many.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import { StoreButtons } from '../../records/store-buttons.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { NotPermitted, NotRead, Refused } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useFormat } from '../../words/index.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import { AssignDialog } from './assign-dialog.tsx'
import {
  changedOf,
  createdOf,
  type FormQuestion,
  fieldsOf,
  issuesOfQuestion,
  isWhole,
  newProgram,
  type ProgramFields,
} from './program-form.ts'
import styles from './program-page.module.css'
import { QuestionDialog } from './question-dialog.tsx'
import { types } from './searches.ts'
import { useTrainingWords } from './words.ts'

type Program = Answer<'GET /api/training/{id}'>

/** A new program. */
export function NewProgramPage() {
  const { programs, editor: w } = useTrainingWords()
  const whyNot = useWhyNot('training.manage')
  useTitle(programs.create)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  return (
    <div className={styles.page}>
      <RecordHead
        list={paths.trainingPrograms}
        back={programs.title}
        title={programs.create}
        state={<span className="soft">{w.newHint}</span>}
      />
      <ProgramForm />
    </div>
  )
}

/** A program for who writes it. */
export function ProgramPage() {
  const { id } = useParams({ from: '/app/training/programs/$id' })
  const { programs, types: typeNames, editor: w } = useTrainingWords()
  const { permissions } = useMe()
  const whyNot = useWhyNot('training.manage')
  const {
    data: program,
    error,
    refetch,
  } = useQuery({
    ...ask('GET /api/training/{id}', { path: { id } }),
    enabled: whyNot === undefined,
  })
  const [dialog, setDialog] = useState<'assign' | 'archive' | 'activate'>()
  useTitle(program && `${program.number} ${program.title}`)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  if (error || !program) return <NotRead error={error} onRetry={refetch} lines={12} />
  const isActive = program.status === 'active'
  const close = () => setDialog(undefined)
  return (
    <div className={styles.page}>
      <RecordHead
        list={paths.trainingPrograms}
        back={programs.title}
        number={program.number}
        title={program.title}
        actions={
          <span className="row" data-print="none">
            {isActive && permissions.includes('training.assign') && (
              <Button icon={UserRoundPlus} onPress={() => setDialog('assign')}>
                {w.assign}
              </Button>
            )}
            <Button
              icon={isActive ? Archive : ArchiveRestore}
              onPress={() => setDialog(isActive ? 'archive' : 'activate')}
            >
              {isActive ? w.archive.action : w.activate.action}
            </Button>
          </span>
        }
        state={
          <>
            <Status of={program.status} />
            <span>{typeNames[program.type]}</span>
            {program.quiz_version !== null && <span className="soft">{w.quizVersion(program.quiz_version)}</span>}
            <Link to="/training/assignments" search={{ program: [program.id] }}>
              {w.toAssignments}
            </Link>
          </>
        }
      />
      <ProgramForm key={program.id} program={program} />
      <Groups program={program} />
      {dialog === 'assign' && (
        <AssignDialog program={{ id: program.id, name: `${program.number} ${program.title}` }} onClose={close} />
      )}
      {(dialog === 'archive' || dialog === 'activate') && (
        <StatusDialog program={program} words={w[dialog]} isArchiving={dialog === 'archive'} onClose={close} />
      )}
    </div>
  )
}

function ProgramForm({ program }: { program?: Program }) {
  const { editor: w, types: typeNames } = useTrainingWords()
  const { id: userId } = useMe()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { fields, change, forget } = useFormDraft<ProgramFields>(
    `program ${userId} ${program?.id ?? 'new'}`,
    program ? fieldsOf(program) : newProgram,
  )
  const [edited, setEdited] = useState<FormQuestion>()
  const [isTried, setTried] = useState(false)
  const { mutate, isPending, error } = useMutation<Program, Problem>({
    mutationFn: () =>
      program
        ? call('PUT /api/training/{id}', { path: { id: program.id }, body: changedOf(fields, program.revision) })
        : call('POST /api/training/', { body: createdOf(fields) }),
    onSuccess: async answer => {
      forget()
      announce(program ? w.saved(answer.number) : w.created(answer.number))
      await refresh(client, 'training/')
      if (!program) void navigate({ to: '/training/programs/$id', params: { id: answer.id } })
    },
    onError: ({ status }) => {
      if (status === 409) void refresh(client, 'training/')
    },
  })
  const isReading = fields.type === 'read_and_understand'
  const missing = {
    title: fields.title.trim() === '' ? w.missing.title : undefined,
    type: fields.type === '' ? w.missing.type : undefined,
    document: isReading && !fields.document ? w.missing.document : undefined,
    questions: fields.type === 'quiz' && fields.questions.length === 0 ? w.missing.questions : undefined,
  }
  const numbers = ['due_days', 'valid_months', 'passing_score', 'max_attempts'] as const
  const wrongNumber = (field: (typeof numbers)[number]) =>
    error?.of(field) ?? (isTried && !isWhole(fields[field]) ? w.notWhole : undefined)
  const wrong = (field: keyof typeof missing, name: string = field) =>
    error?.of(name) ?? (isTried ? missing[field] : undefined)
  const send = () => {
    setTried(true)
    const isComplete = Object.values(missing).every(each => each === undefined)
    if (!isPending && isComplete && numbers.every(each => isWhole(fields[each]))) mutate()
  }
  const isArchived = program?.status === 'archived'
  const keepQuestion = (question: FormQuestion) => {
    const isThere = fields.questions.some(({ id }) => id === question.id)
    change({
      questions: isThere
        ? fields.questions.map(each => (each.id === question.id ? question : each))
        : [...fields.questions, question],
    })
    setEdited(undefined)
  }
  const addQuestion = () =>
    setEdited({
      id: `new ${crypto.randomUUID()}`,
      text: '',
      type: 'single',
      options: [
        { text: '', is_correct: false },
        { text: '', is_correct: false },
      ],
      explanation: '',
    })
  const bind = bindingOf(fields, change)
  return (
    <>
      <Form className={styles.form} onSend={send}>
        {isArchived && <p className={styles.note}>{w.isArchived}</p>}
        <fieldset disabled={isArchived} className={styles.fields}>
          <Field
            label={w.title}
            isRequired
            isDisabled={isArchived}
            maxLength={500}
            {...bind('title')}
            wrong={wrong('title')}
          />
          {!program && (
            <Choice
              label={w.type}
              isRequired
              options={types.map(id => ({ id, name: typeNames[id], detail: w.typeHint[id] }))}
              {...bind('type')}
              wrong={wrong('type')}
            />
          )}
          {program ? (
            program.document && (
              <p>
                {w.document}:{' '}
                <Link to="/documents/$id" params={{ id: program.document.id }}>
                  {program.document.number} {program.document.title}
                </Link>
              </p>
            )
          ) : (
            <PickMany
              label={w.document}
              hint={isReading ? w.documentHint : w.documentOther}
              placeholder={w.findDocument}
              chosen={fields.document ? [fields.document] : []}
              onChange={next => change({ document: next.at(-1) ?? null })}
              useFound={useDocumentsFound}
              removeLabel={w.remove}
              isRequired={isReading}
              wrong={wrong('document', 'document_id')}
            />
          )}
          <Field label={w.description} rows={4} isDisabled={isArchived} {...bind('description', error)} />
          <div className={styles.pair}>
            <Field
              label={w.dueDays}
              inputMode="numeric"
              isDisabled={isArchived}
              {...bind('due_days')}
              wrong={wrongNumber('due_days')}
            />
            <Field
              label={w.validMonths}
              hint={w.validHint}
              inputMode="numeric"
              isDisabled={isArchived}
              {...bind('valid_months')}
              wrong={wrongNumber('valid_months')}
            />
          </div>
          <Checkbox
            isSelected={fields.requires_verification}
            isDisabled={isArchived}
            onChange={requires_verification => change({ requires_verification })}
            detail={w.verificationHint}
          >
            {w.verification}
          </Checkbox>
          {isReading && (
            <Checkbox
              isSelected={fields.requires_opening}
              isDisabled={isArchived}
              onChange={requires_opening => change({ requires_opening })}
              detail={w.openingHint}
            >
              {w.opening}
            </Checkbox>
          )}
          <section className={styles.questions} aria-label={w.questions}>
            <header>
              <h2>
                {w.questions} <span className="soft">{fields.questions.length}</span>
              </h2>
              <Button icon={Plus} whyNot={isArchived ? w.isArchived : undefined} onPress={addQuestion}>
                {w.addQuestion}
              </Button>
            </header>
            {fields.questions.length > 0 ? (
              <OrderedList
                label={w.questions}
                items={fields.questions}
                keyOf={({ id }) => id}
                nameOf={({ text }) => text}
                onOrder={questions => change({ questions })}
                onEdit={setEdited}
                onRemove={question => change({ questions: fields.questions.filter(({ id }) => id !== question.id) })}
                isDisabled={isArchived}
              >
                {(question, index) => (
                  <QuestionLine
                    question={question}
                    number={index + 1}
                    issues={issuesOfQuestion(error?.issues ?? [], index)}
                  />
                )}
              </OrderedList>
            ) : (
              <p className="soft">{w.noQuestions}</p>
            )}
            {wrong('questions') && <p className={styles.wrong}>{wrong('questions')}</p>}
            {fields.questions.length > 0 && (
              <>
                <div className={styles.pair}>
                  <Field
                    label={w.passing}
                    inputMode="numeric"
                    isDisabled={isArchived}
                    {...bind('passing_score')}
                    wrong={wrongNumber('passing_score')}
                  />
                  <Field
                    label={w.attempts}
                    inputMode="numeric"
                    isDisabled={isArchived}
                    {...bind('max_attempts')}
                    wrong={wrongNumber('max_attempts')}
                  />
                </div>
                <Checkbox
                  isSelected={fields.shuffle}
                  isDisabled={isArchived}
                  onChange={shuffle => change({ shuffle })}
                  detail={w.shuffleHint}
                >
                  {w.shuffle}
                </Checkbox>
              </>
            )}
          </section>
          {program && !isArchived && (
            <Field label={w.reason} hint={w.reasonHint} rows={2} {...bind('change_reason', error)} />
          )}
        </fieldset>
        {error && error.issues.length === 0 && <Refused error={error} />}
        {error && error.issues.length > 0 && <p className={styles.wrong}>{w.seeAbove}</p>}
        {!isArchived && (
          <StoreButtons
            leave={program ? w.discard : w.cancel}
            onLeave={() => {
              forget()
              if (!program) void navigate({ to: '/training/programs' })
            }}
            store={program ? w.save : w.create}
            isPending={isPending}
          />
        )}
      </Form>
      {/* Beside the form: what is submitted within the dialog would reach a form around it. */}
      {edited && (
        <QuestionDialog
          question={edited}
          isNew={!fields.questions.some(({ id }) => id === edited.id)}
          onSave={keepQuestion}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

function QuestionLine({ question, number, issues }: { question: FormQuestion; number: number; issues: string[] }) {
  const { editor: w } = useTrainingWords()
  const right = question.options.filter(({ is_correct }) => is_correct).map(({ text }) => text)
  return (
    <>
      <p>
        <span className="soft">{number}.</span> {question.text}
      </p>
      <p className={styles.answer}>
        {w.kinds[question.type]} · {w.rightIs(right.join(' · '))}
      </p>
      {issues.map(issue => (
        <p key={issue} className={styles.wrong}>
          {issue}
        </p>
      ))}
    </>
  )
}

function useDocumentsFound(q: string) {
  const { data } = useQuery(
    askPage('GET /api/documents/', { query: { q: q || undefined, page_size: 20, sort: 'number:asc' } }),
  )
  return data?.items.map(({ id, number, title, status }) => ({ id, name: `${number} ${title}`, detail: status }))
}

/** Groups whose later members get it too. */
function Groups({ program }: { program: Program }) {
  const { editor: w } = useTrainingWords()
  const { permissions } = useMe()
  const { day } = useFormat()
  const client = useQueryClient()
  const mayRead = permissions.includes('training.read_all')
  const { data } = useQuery({ ...ask('GET /api/training/{id}/groups', { path: { id: program.id } }), enabled: mayRead })
  const { mutate, error } = useMutation<unknown, Problem, number>({
    mutationFn: group_id => call('DELETE /api/training/{id}/groups/{group_id}', { path: { id: program.id, group_id } }),
    onSuccess: () => refresh(client, 'training/'),
  })
  if (!data || data.length === 0) return null
  return (
    <section className={styles.groups} aria-label={w.groups}>
      <h2>{w.groups}</h2>
      <p className="soft">{w.groupsHint}</p>
      {error && <Refused error={error} />}
      <ul>
        {data.map(({ group, assigned_at }) => (
          <li key={group.id}>
            <span>
              {group.name} <span className="soft">{w.since(day(assigned_at))}</span>
            </span>
            {permissions.includes('training.assign') && (
              <AriaButton className={styles.end!} aria-label={w.endGroup(group.name)} onPress={() => mutate(group.id)}>
                <X size={15} aria-hidden="true" />
              </AriaButton>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

interface StatusProps {
  program: Program
  words: { title: string; hint: string; submit: string; done: (number: string) => string }
  isArchiving: boolean
  onClose: () => void
}

function StatusDialog({ program, words: w, isArchiving, onClose }: StatusProps) {
  const { editor, doing } = useTrainingWords()
  const [reason, setReason] = useState('')
  const [cancelOpen, setCancelOpen] = useState(false)
  const { id, number, title, revision } = program
  return (
    <ActDialog
      title={w.title}
      about={`${number} ${title}`}
      revision={revision}
      changed={doing.changed}
      send={now =>
        call('PUT /api/training/{id}', {
          path: { id },
          body: {
            status: isArchiving ? 'archived' : 'active',
            ...(isArchiving && cancelOpen && { cancel_open: true }),
            ...(reason.trim() && { change_reason: reason.trim() }),
            revision: now,
          },
        })
      }
      onDone={() => announce(w.done(number))}
      onClose={onClose}
      submit={w.submit}
    >
      {problem => (
        <>
          <p>{w.hint}</p>
          <Field
            label={editor.reason}
            rows={3}
            autoFocus
            value={reason}
            onChange={setReason}
            wrong={problem?.of('change_reason')}
          />
          {isArchiving && (
            <Checkbox isSelected={cancelOpen} onChange={setCancelOpen} detail={editor.cancelOpenHint}>
              {editor.cancelOpen}
            </Checkbox>
          )}
        </>
      )}
    </ActDialog>
  )
}

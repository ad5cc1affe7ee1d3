import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Archive, ArchiveRestore, Check } from 'lucide-react'
import { useState } from 'react'
import { ToggleButton } from 'react-aria-components'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { OrderedList } from '../../records/fields/ordered-list.tsx'
import { type Pick, PickMany } from '../../records/fields/pick-many.tsx'
import { RecordHead } from '../../records/record-head.tsx'
import { StoreButtons } from '../../records/store-buttons.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { NotPermitted, NotRead, Refused } from '../../ui/notes.tsx'
import { Status } from '../../ui/status.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import { useGroupsFound, useProgramsFound } from './choices.ts'
import { before, type InOrder } from './curriculum-order.ts'
import styles from './curriculum-page.module.css'
import form from './program-page.module.css'
import { useTrainingWords } from './words.ts'

type Curriculum = Answer<'GET /api/training/curricula/{id}'>

interface Fields {
  name: string
  description: string
  roles: string[]
  groups: Pick[]
  programs: InOrder[]
}

const fieldsOf = (curriculum: Curriculum | undefined): Fields => ({
  name: curriculum?.name ?? '',
  description: curriculum?.description ?? '',
  roles: curriculum?.role_names ?? [],
  groups: curriculum?.groups ?? [],
  programs: (curriculum?.programs ?? []).map(({ training_id, number, title, status, is_prerequisite }) => ({
    id: training_id,
    number,
    title,
    isArchived: status === 'archived',
    is_prerequisite,
  })),
})

export function NewCurriculumPage() {
  const { curricula: w } = useTrainingWords()
  const whyNot = useWhyNot('training.manage')
  useTitle(w.create)
  if (whyNot !== undefined) return <NotPermitted why={whyNot} />
  return (
    <div className={form.page}>
      <RecordHead
        list={paths.curricula}
        back={w.title}
        title={w.create}
        state={<span className="soft">{w.newHint}</span>}
      />
      <CurriculumForm />
    </div>
  )
}

/** What is learnt in which order, and by whom. */
export function CurriculumPage() {
  const { id } = useParams({ from: '/app/training/curricula/$id' })
  const { curricula: w } = useTrainingWords()
  const { permissions } = useMe()
  const { data, error, refetch } = useQuery(ask('GET /api/training/curricula/{id}', { path: { id } }))
  const [isChanging, setChanging] = useState(false)
  useTitle(data?.name)
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={12} />
  const mayManage = permissions.includes('training.manage')
  const isActive = data.status === 'active'
  return (
    <div className={form.page}>
      <RecordHead
        list={paths.curricula}
        back={w.title}
        title={data.name}
        actions={
          mayManage && (
            <span className="row" data-print="none">
              <Button icon={isActive ? Archive : ArchiveRestore} onPress={() => setChanging(true)}>
                {isActive ? w.archive.action : w.activate.action}
              </Button>
            </span>
          )
        }
        state={<Status of={data.status} />}
      />
      {mayManage && isActive ? <CurriculumForm key={data.id} curriculum={data} /> : <Shown of={data} />}
      {isChanging && (
        <StatusDialog curriculum={data} words={isActive ? w.archive : w.activate} onClose={() => setChanging(false)} />
      )}
    </div>
  )
}

function Shown({ of: curriculum }: { of: Curriculum }) {
  const { curricula: w } = useTrainingWords()
  const { programs } = fieldsOf(curriculum)
  return (
    <div className={form.form}>
      {curriculum.description && <p className={styles.description}>{curriculum.description}</p>}
      <FactList
        facts={[
          [w.roles, curriculum.role_names.join(', ')],
          [w.groups, curriculum.groups.map(({ name }) => name).join(', ')],
        ]}
      />
      <ol className={styles.programs} aria-label={w.programs}>
        {programs.map((program, index) => (
          <li key={program.id}>
            <Line program={program} waitsFor={before(programs, index)} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function CurriculumForm({ curriculum }: { curriculum?: Curriculum }) {
  const { curricula: w, editor } = useTrainingWords()
  const { id: userId } = useMe()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { fields, change, forget } = useFormDraft<Fields>(
    `curriculum ${userId} ${curriculum?.id ?? 'new'}`,
    fieldsOf(curriculum),
  )
  const [isTried, setTried] = useState(false)
  const { name, description, roles, groups, programs } = fields
  const { mutate, isPending, error } = useMutation<Curriculum, Problem>({
    mutationFn: () => {
      const body = {
        name: name.trim(),
        description,
        role_names: roles,
        group_ids: groups.map(({ id }) => id),
        programs: programs.map(({ id: training_id, is_prerequisite }) => ({ training_id, is_prerequisite })),
      }
      return curriculum
        ? call('PUT /api/training/curricula/{id}', {
            path: { id: curriculum.id },
            body: { ...body, revision: curriculum.revision },
          })
        : call('POST /api/training/curricula/', { body })
    },
    onSuccess: async answer => {
      forget()
      announce(curriculum ? w.saved(answer.name) : w.created(answer.name))
      await refresh(client, 'training/')
      if (!curriculum) void navigate({ to: '/training/curricula/$id', params: { id: answer.id } })
    },
    onError: ({ status }) => {
      if (status === 409) void refresh(client, 'training/')
    },
  })
  const isNameless = name.trim() === ''
  const send = () => {
    setTried(true)
    if (!isPending && !isNameless) mutate()
  }
  const wrongPrograms = error?.of('programs') ?? error?.of('training_id')
  return (
    <Form className={form.form} onSend={send}>
      <Field
        label={w.name}
        isRequired
        maxLength={120}
        value={name}
        onChange={next => change({ name: next })}
        wrong={error?.of('name') ?? (isTried && isNameless ? w.nameless : undefined)}
      />
      <Field
        label={editor.description}
        rows={2}
        value={description}
        onChange={next => change({ description: next })}
        wrong={error?.of('description')}
      />
      <Roles chosen={roles} onChange={next => change({ roles: next })} wrong={error?.of('role_names')} />
      <PickMany
        label={w.groups}
        placeholder={w.findGroups}
        chosen={groups}
        onChange={next => change({ groups: next })}
        useFound={useGroupsFound}
        removeLabel={editor.remove}
        wrong={error?.of('group_ids')}
      />
      <section className={form.questions} aria-label={w.programs}>
        <header>
          <h2>
            {w.programs} <span className="soft">{programs.length}</span>
          </h2>
        </header>
        <p className="soft">{w.orderHint}</p>
        {wrongPrograms !== undefined && <Refused>{wrongPrograms}</Refused>}
        {programs.length > 0 && (
          <OrderedList
            label={w.programs}
            items={programs}
            keyOf={({ id }) => String(id)}
            nameOf={({ number }) => number}
            onOrder={next => change({ programs: next })}
            onRemove={({ id }) => change({ programs: programs.filter(each => each.id !== id) })}
          >
            {(program, index) => (
              <Line
                program={program}
                waitsFor={before(programs, index)}
                onToggle={is_prerequisite =>
                  change({
                    programs: programs.map(each => (each.id === program.id ? { ...each, is_prerequisite } : each)),
                  })
                }
              />
            )}
          </OrderedList>
        )}
        <PickMany
          label={w.add}
          placeholder={w.findProgram}
          chosen={[]}
          onChange={([added]) => {
            if (!added || programs.some(({ id }) => id === added.id)) return
            const [number = '', ...title] = added.name.split(' ')
            change({
              programs: [
                ...programs,
                { id: added.id, number, title: title.join(' '), isArchived: false, is_prerequisite: false },
              ],
            })
          }}
          useFound={useProgramsFound}
          removeLabel={editor.remove}
        />
      </section>
      {error && error.issues.length === 0 && <Refused error={error} />}
      <StoreButtons
        leave={curriculum ? editor.discard : editor.cancel}
        onLeave={() => {
          forget()
          if (!curriculum) void navigate({ to: '/training/curricula' })
        }}
        store={curriculum ? editor.save : editor.create}
        isPending={isPending}
      />
    </Form>
  )
}

function Roles({
  chosen,
  onChange,
  wrong,
}: {
  chosen: string[]
  onChange: (roles: string[]) => void
  wrong: string | undefined
}) {
  const { curricula: w, editor } = useTrainingWords()
  const { data } = useQuery(ask('GET /api/roles/', { query: { page_size: 100, sort: 'name:asc' } }))
  const roles = data?.items.map(({ id, name }): Pick => ({ id, name }))
  return (
    <PickMany
      label={w.roles}
      hint={w.rolesHint}
      placeholder={w.findRole}
      // A role that is gone since is still known by its name.
      chosen={chosen.map((name, at) => roles?.find(each => each.name === name) ?? { id: -1 - at, name })}
      onChange={next => onChange(next.map(({ name }) => name))}
      useFound={q => roles?.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))}
      removeLabel={editor.remove}
      wrong={wrong}
    />
  )
}

interface LineProps {
  program: InOrder
  waitsFor: InOrder[]
  onToggle?: (isPrerequisite: boolean) => void
}

/** A program in its place, and what it waits for. */
function Line({ program: { number, title, isArchived, is_prerequisite }, waitsFor, onToggle }: LineProps) {
  const { curricula: w } = useTrainingWords()
  return (
    <div className={styles.line}>
      <p>
        <span className="number">{number}</span> {title} {isArchived && <Status of="archived" size="s" />}
      </p>
      {onToggle ? (
        <ToggleButton
          className={styles.toggle!}
          aria-label={w.prerequisiteOf(number)}
          isSelected={is_prerequisite}
          onChange={onToggle}
        >
          {is_prerequisite && <Check size={13} aria-hidden="true" />}
          {w.prerequisite}
        </ToggleButton>
      ) : (
        is_prerequisite && <span className={styles.toggle}>{w.prerequisite}</span>
      )}
      {waitsFor.length > 0 && (
        <p className={styles.after}>
          {w.after}
          {waitsFor.map(each => (
            <span key={each.id} className={styles.chip}>
              {each.number}
            </span>
          ))}
        </p>
      )}
    </div>
  )
}

interface StatusProps {
  curriculum: Curriculum
  words: { title: string; hint: string; submit: string; done: (name: string) => string }
  onClose: () => void
}

function StatusDialog({ curriculum: { id, name, status, revision }, words: w, onClose }: StatusProps) {
  const { editor, doing } = useTrainingWords()
  const [reason, setReason] = useState('')
  return (
    <ActDialog
      title={w.title}
      about={name}
      revision={revision}
      changed={doing.changed}
      send={now =>
        call('PUT /api/training/curricula/{id}', {
          path: { id },
          body: {
            status: status === 'active' ? 'archived' : 'active',
            ...(reason.trim() && { change_reason: reason.trim() }),
            revision: now,
          },
        })
      }
      onDone={() => announce(w.done(name))}
      onClose={onClose}
      submit={w.submit}
    >
      {problem => (
        <>
          <p>{w.hint}</p>
          {problem?.of('programs') && <Refused>{problem.of('programs')}</Refused>}
          <Field
            label={editor.reason}
            rows={3}
            autoFocus
            value={reason}
            onChange={setReason}
            wrong={problem?.of('change_reason')}
          />
        </>
      )}
    </ActDialog>
  )
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import { type Pick, PickMany } from '../../records/fields/pick-many.tsx'
import { Button } from '../../ui/button.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import styles from './assign-dialog.module.css'
import { useGroupsFound, usePeopleFound, useProgramsFound } from './choices.ts'
import { useTrainingWords } from './words.ts'

type Assigned = Answer<'POST /api/training/assign'>

interface Props {
  /** Known already, where it is opened from a program. */
  program?: Pick
  onClose: () => void
}

/** A program for people and groups. With many people it goes on as a job, whose progress stands here. */
export function AssignDialog({ program: given, onClose }: Props) {
  const { assign: w, assignments } = useTrainingWords()
  const client = useQueryClient()
  const [programs, setPrograms] = useState<Pick[]>(given ? [given] : [])
  const [people, setPeople] = useState<Pick[]>([])
  const [groups, setGroups] = useState<Pick[]>([])
  const [due, setDue] = useState('')
  const [isTried, setTried] = useState(false)
  const program = programs.at(-1)
  const isNobody = people.length + groups.length === 0
  const { mutate, isPending, error, data } = useMutation<Assigned, Problem>({
    mutationFn: () =>
      call('POST /api/training/assign', {
        body: {
          training_id: program!.id,
          ...(people.length > 0 && { user_ids: people.map(({ id }) => id) }),
          ...(groups.length > 0 && { group_ids: groups.map(({ id }) => id) }),
          ...(due && { due_date: due }),
        },
      }),
    onSuccess: () => refresh(client, 'training/', 'dashboard/'),
  })
  const send = () => {
    setTried(true)
    if (!isPending && program && !isNobody) mutate()
  }
  if (data) return <Result of={data} program={program!.name} onClose={onClose} />
  return (
    <Dialog isOpen onClose={onClose} title={assignments.assign} about={given?.name ?? w.about} size="m">
      <Form onSend={send}>
        {error && error.issues.length === 0 && <Refused error={error} />}
        {!given && (
          <PickMany
            label={w.program}
            placeholder={w.findProgram}
            chosen={programs}
            // One at a time: another one takes its place.
            onChange={next => setPrograms(next.slice(-1))}
            useFound={useProgramsFound}
            removeLabel={w.remove}
            isRequired
            wrong={error?.of('training_id') ?? (isTried && !program ? w.noProgram : undefined)}
          />
        )}
        <PickMany
          label={w.people}
          placeholder={w.findPeople}
          chosen={people}
          onChange={setPeople}
          useFound={usePeopleFound}
          removeLabel={w.remove}
          wrong={error?.of('user_ids') ?? (isTried && isNobody ? w.nobody : undefined)}
        />
        <PickMany
          label={w.groups}
          hint={w.groupsHint}
          placeholder={w.findGroups}
          chosen={groups}
          onChange={setGroups}
          useFound={useGroupsFound}
          removeLabel={w.remove}
          wrong={error?.of('group_ids')}
        />
        <DayField label={w.due} hint={w.dueHint} value={due} onChange={setDue} wrong={error?.of('due_date')} />
        <DialogButtons>
          <Button onPress={onClose}>{w.cancel}</Button>
          <Button type="submit" look="main" isPending={isPending}>
            {assignments.assign}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

function Result({
  of: { assigned, already_assigned, skipped, job },
  program,
  onClose,
}: {
  of: Assigned
  program: string
  onClose: () => void
}) {
  const { assign: w } = useTrainingWords()
  return (
    <Dialog isOpen onClose={onClose} title={w.result} about={program} size="m">
      {job ? (
        <Progress job={job} />
      ) : (
        <>
          <p role="status">{w.assigned(assigned.length)}</p>
          {already_assigned.length > 0 && <p>{w.already(already_assigned.map(({ user }) => nameOf(user)))}</p>}
          {skipped.length > 0 && (
            <ul className={styles.skipped}>
              {skipped.map(({ user_id, user, reason }) => (
                <li key={user_id}>
                  <b>{nameOf(user)}</b> {reason.detail}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <DialogButtons>
        <Button look="main" autoFocus onPress={onClose}>
          {w.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}

/** Somebody waits for it, so to ask again is their use of the service. It is over after seconds, and goes on if the dialog is closed. */
function Progress({ job: { id, total } }: { job: NonNullable<Assigned['job']> }) {
  const { assign: w } = useTrainingWords()
  const client = useQueryClient()
  const { data, error } = useQuery({
    ...ask('GET /api/jobs/{id}', { path: { id } }),
    refetchInterval: ({ state }) => {
      const isOver = state.data?.status === 'completed' || state.data?.status === 'failed'
      if (isOver) void refresh(client, 'training/', 'dashboard/')
      return isOver ? false : 700
    },
  })
  if (error) return <Refused>{error.message}</Refused>
  const { done = 0, skipped = 0, percent = 0, status = 'queued' } = data ?? {}
  return (
    <div className={styles.progress}>
      <div
        className={styles.track}
        role="progressbar"
        aria-label={w.progress}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <span style={{ width: `${percent}%` }} />
      </div>
      <p role="status">
        {status === 'completed'
          ? w.jobDone(done, skipped)
          : status === 'failed'
            ? w.jobFailed(done, total)
            : w.jobRunning(done + skipped, total)}
      </p>
      {status === 'failed' && data?.error && <Refused>{data.error}</Refused>}
      {status !== 'completed' && status !== 'failed' && <p className="soft">{w.goesOn}</p>}
    </div>
  )
}

// The states and transitions of each kind of record, from the same tables by which the service decides.
import { describeTransitionsFrom, type Machine, type Transition } from '../../src/kernel/machine.ts'
import { capaMachine, dueDays } from '../../src/modules/capas/rules.ts'
import { deviationMachine } from '../../src/modules/deviations/rules.ts'
import { trainingMachine } from '../../src/modules/training/rules.ts'

type AnyMachine = Machine<string, string>

function diagramOf({ initial, states, transitions }: AnyMachine): string {
  const begins = initial.map(state => `  [*] --> ${state}`)
  const ways = transitions.flatMap(({ name, from, to }) => from.map(state => `  ${state} --> ${to}: ${name}`))
  const ends = Object.keys(states)
    .filter(state => !transitions.some(({ from }) => from.includes(state)))
    .map(state => `  ${state} --> [*]`)
  return ['```mermaid', 'stateDiagram-v2', ...begins, ...ways, ...ends, '```'].join('\n')
}

const statesOf = (machine: AnyMachine) =>
  [
    '| State | Meaning | Transitions |',
    '|---|---|---|',
    ...Object.entries(machine.states).map(
      ([state, meaning]) => `| \`${state}\` | ${meaning} | ${describeTransitionsFrom(machine, state)} |`,
    ),
  ].join('\n')

const signedOf = ({ signature }: Transition<string, string>) =>
  signature ? `\`${signature.type}\`${signature.when ? `, where ${signature.when}` : ''}` : ''

const transitionsOf = ({ transitions }: AnyMachine) =>
  [
    '| Transition | From | To | Permission | Conditions | Reason | Signature |',
    '|---|---|---|---|---|---|---|',
    ...transitions.map(transition => {
      const { name, from, to, permission, guards, needs_reason } = transition
      const [froms, conditions] = [from, guards].map(list => list.map(each => `\`${each}\``).join(', '))
      return `| ${name} | ${froms} | \`${to}\` | \`${permission}\` | ${conditions} | ${needs_reason ? 'needed' : ''} | ${signedOf(transition)} |`
    }),
  ].join('\n')

const guardsOf = ({ guards }: AnyMachine, heading: string) =>
  [
    `| Condition | ${heading} |`,
    '|---|---|',
    ...Object.entries(guards).map(([name, sentence]) => `| \`${name}\` | ${sentence} |`),
  ].join('\n')

const chapterOf = (title: string, machine: AnyMachine, headingOfGuards = 'Sentence in the refusal') =>
  [
    `## ${title}`,
    diagramOf(machine),
    statesOf(machine),
    transitionsOf(machine),
    guardsOf(machine, headingOfGuards),
  ].join('\n\n')

const days = Object.entries(dueDays).map(([priority, days]) => `${priority} ${days}`)
const capaDue = [
  `A CAPA without a given due date is due by its priority, in days: ${days.join(', ')}. Its actions are due no later than the CAPA.`,
  'An action is also added, changed, ordered and removed by itself (`/api/capa/{id}/actions`), under the same conditions as with `PUT /api/capa/{id}`. It has a revision of its own, so that people who report on different actions at the same moment do not conflict. Only an open action is removed, with a reason; one that was begun is cancelled.',
  '`approve_draft` and `reject_draft` are also `POST /api/capa/{id}/approve-draft` and `reject-draft`. `not_effective` follows from the result of an effectiveness review.',
  'A CAPA of high or critical priority that began `open` needs the approval of its plan: `POST /api/capa/{id}/approve-plan`, with the permission `capa.approve_draft`, by somebody who took no part in it. Without it, no action begins or is done, and only such a person lowers the priority below high.',
].join('\n\n')

const training =
  'Trainees make transitions of their own assignment by `POST /api/training/{id}/start` and `/complete` of the program, and managers by `POST /api/training/assignments/{id}/waive` and `/cancel`. A request to complete a training with a quiz also makes the transition `fail`, if the attempt was the last; a failed attempt that is not the last leaves the assignment `in_progress`. Opening the file of the version to read starts the assignment too. The service cancels open assignments of an archived program, of a deactivated person, and of a document that is no longer in use. `POST /api/training/assignments/{id}/verify` changes no state: it marks a completed assignment as verified, with a signature of the trainer. An assignment is valid today if it is completed, verified where the program asks for it, not past `valid_until`, and for a reading, if it is for the effective version, or for an earlier one that the `training_impact` of each later version accepts.'

export const records = [
  '# Records and their states',
  'A transition is made by `PUT` with the new `status`, after the other fields of the request are set. A transition that is not in the table is a 409 (`transition_not_allowed`) that lists the possible ones. A condition that does not hold is a 409 (`conditions_not_met`) that names it.',
  chapterOf('Deviations', deviationMachine),
  chapterOf('CAPAs', capaMachine),
  capaDue,
  chapterOf('Training', trainingMachine, 'How it is met'),
  training,
].join('\n\n')

// The way of each kind of record through its states, from the same tables by which the service decides.
import { describeTransitionsFrom, type Machine, type Move } from '../../src/kernel/machine.ts'
import { capaMachine, dueDays } from '../../src/modules/capas/rules.ts'
import { deviationMachine } from '../../src/modules/deviations/rules.ts'
import { trainingMachine } from '../../src/modules/training/rules.ts'

type AnyMachine = Machine<string, string>

function diagramOf({ initial, states, moves }: AnyMachine): string {
  const begins = initial.map(state => `  [*] --> ${state}`)
  const ways = moves.flatMap(({ name, from, to }) => from.map(state => `  ${state} --> ${to}: ${name}`))
  const ends = Object.keys(states)
    .filter(state => !moves.some(({ from }) => from.includes(state)))
    .map(state => `  ${state} --> [*]`)
  return ['```mermaid', 'stateDiagram-v2', ...begins, ...ways, ...ends, '```'].join('\n')
}

const statesOf = (machine: AnyMachine) =>
  [
    '| State | Meaning | What the service says of the ways out |',
    '|---|---|---|',
    ...Object.entries(machine.states).map(
      ([state, meaning]) => `| \`${state}\` | ${meaning} | ${describeTransitionsFrom(machine, state)} |`,
    ),
  ].join('\n')

const signedOf = ({ signature }: Move<string, string>) =>
  signature ? `\`${signature.type}\`${signature.when ? `, where ${signature.when}` : ''}` : ''

const movesOf = ({ moves }: AnyMachine) =>
  [
    '| Move | From | To | Permission | What must be so | Reason | Signature |',
    '|---|---|---|---|---|---|---|',
    ...moves.map(move => {
      const { name, from, to, permission, guards, needs_reason } = move
      const [froms, conditions] = [from, guards].map(list => list.map(each => `\`${each}\``).join(', '))
      return `| ${name} | ${froms} | \`${to}\` | \`${permission}\` | ${conditions} | ${needs_reason ? 'needed' : ''} | ${signedOf(move)} |`
    }),
  ].join('\n')

const guardsOf = ({ guards }: AnyMachine) =>
  [
    '| Condition | As it is said to who tries without it |',
    '|---|---|',
    ...Object.entries(guards).map(([name, sentence]) => `| \`${name}\` | ${sentence} |`),
  ].join('\n')

const chapterOf = (title: string, machine: AnyMachine) =>
  [`## ${title}`, diagramOf(machine), statesOf(machine), movesOf(machine), guardsOf(machine)].join('\n\n')

const days = Object.entries(dueDays).map(([priority, days]) => `${priority} ${days}`)
const capaDue = [
  `Where nobody says when a CAPA is due, it is so many days after it was written: ${days.join(', ')}. Its actions are due not later than itself.`,
  '`approve_draft` and `reject_draft` are `POST /api/capa/{id}/approve-draft` and `reject-draft` too; `not_effective` comes with the effectiveness review that finds it.',
].join('\n\n')

const training =
  'Its moves are `POST /api/training/{id}/start` and `/complete`, of the program by the trainee, and `POST /api/training/assignments/{id}/waive` and `/cancel`; an attempt that does not pass, and is not the last, leaves it `in_progress`. `POST /api/training/assignments/{id}/verify` is no move: what was completed stays so, and is marked as verified with a signature of the trainer. Whether it counts today is worked out: completed, verified where the program asks for it, not past `valid_until`, and of a reading for the version in force, or an earlier one where the `training_impact` of each later version leaves it.'

export const records = [
  '# Records and their states',
  'A move is made by `PUT` with the new `status`, once the other fields of the request are set. What is not in the table is a 409 that says the ways out; a condition that does not hold is one that names it.',
  chapterOf('Deviations', deviationMachine),
  chapterOf('CAPAs', capaMachine),
  capaDue,
  chapterOf('Training', trainingMachine),
  training,
].join('\n\n')

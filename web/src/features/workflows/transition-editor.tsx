import { Plus } from 'lucide-react'
import {
  type Definition,
  type Gate,
  labelOf,
  type Names,
  type Rule,
  sourcesOf,
  type Transition,
  type Trigger,
  triggerOf,
} from '../../records/workflow/definition.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { useRoles } from './choices.ts'
import styles from './editors.module.css'
import { changeGate, changeTransition, isOwnLabel, newRule, setSources, setTrigger } from './edits.ts'
import { OtherOf } from './other-of.tsx'
import { type Fault, faultAt } from './places.ts'
import { RuleFields } from './rule-fields.tsx'
import type { Designing } from './use-design.ts'
import { useDesignerWords } from './words.ts'

interface Props {
  transition: Transition
  designing: Designing
  names: Names
  faults: readonly Fault[]
}

const triggers = ['approval', 'by_hand', 'on_effective_date', 'on_training_complete', 'on_supersede'] as const

/** The conditions of a transition. Each change counts at once: the picture, the list and the check follow it. */
export function TransitionEditor({ transition, designing, names, faults }: Props) {
  const { transition: w } = useDesignerWords()
  const { design, edit } = designing
  const { definition } = design
  const { name } = transition
  const trigger = triggerOf(transition)
  const set = (next: Definition, field?: string) => edit({ definition: next }, field && `${name} ${field}`)
  const sources = sourcesOf(transition)
  return (
    <div className={styles.editor}>
      <Field
        label={w.label}
        maxLength={80}
        value={labelOf(transition)}
        onChange={label => {
          if (!isOwnLabel(transition, label)) set(changeTransition(definition, name, { label }), 'label')
        }}
        wrong={faultAt(faults, 'label') ?? faultAt(faults, 'name')}
      />
      <div className={styles.pair}>
        <fieldset className={styles.checks}>
          <legend>{w.from}</legend>
          {definition.states
            .filter(each => each.kind !== 'final' || sources.includes(each.name))
            .map(each => (
              <Checkbox
                key={each.name}
                isSelected={sources.includes(each.name)}
                onChange={isFrom =>
                  set(
                    setSources(
                      definition,
                      name,
                      definition.states
                        .map(state => state.name)
                        .filter(state => (state === each.name ? isFrom : sources.includes(state))),
                    ),
                  )
                }
              >
                {each.label}
              </Checkbox>
            ))}
          <OtherOf faults={faults} field="from" />
        </fieldset>
        <Select
          label={w.to}
          options={definition.states.map(each => ({ id: each.name, name: each.label }))}
          value={transition.to}
          onChange={to => set(changeTransition(definition, name, { to }))}
          wrong={faultAt(faults, 'to')}
        />
      </div>
      {trigger === 'reject' ? (
        <p className="soft">{w.reject}</p>
      ) : (
        <Select
          label={w.how}
          options={triggers.map(id => ({ id, name: w.triggers[id] }))}
          value={trigger}
          onChange={next => set(setTrigger(definition, name, next as Exclude<Trigger, 'reject'>))}
          wrong={faultAt(faults, 'automatic')}
        />
      )}
      {transition.approval && (
        <ApprovalFields
          transition={transition}
          gate={transition.approval}
          designing={designing}
          names={names}
          faults={faults}
        />
      )}
      {(trigger === 'by_hand' || trigger === 'approval') && (
        <RightField
          label={trigger === 'by_hand' ? w.right : w.alsoRight}
          none={trigger === 'by_hand' ? w.anyRight : w.noRight}
          value={transition.permission}
          onChange={permission => set(changeTransition(definition, name, { permission }))}
          wrong={faultAt(faults, 'permission')}
        />
      )}
      {(trigger === 'by_hand' || trigger === 'reject') && (
        <Checkbox
          isSelected={transition.comment_required ?? false}
          onChange={isRequired =>
            set(changeTransition(definition, name, { comment_required: isRequired || undefined }))
          }
        >
          {w.comment}
        </Checkbox>
      )}
    </div>
  )
}

interface RightProps {
  label: string
  none: string
  value: string | undefined
  onChange: (right: string | undefined) => void
  wrong: string | undefined
}

function RightField({ label, none, value, onChange, wrong }: RightProps) {
  const { rights } = useWorkflowSentences()
  const known = Object.entries(rights).map(([id, name]) => ({ id, name }))
  const other = value === undefined || rights[value] ? [] : [{ id: value, name: value.replaceAll(/[._]/g, ' ') }]
  return (
    <Select
      label={label}
      options={[{ id: 'none', name: none }, ...known, ...other]}
      value={value ?? 'none'}
      onChange={right => onChange(right === 'none' ? undefined : right)}
      wrong={wrong}
    />
  )
}

const daysIn = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : undefined)
const offered = ['review', 'approval', 'release'] as const

function ApprovalFields({ transition, gate, designing, names, faults }: Props & { gate: Gate }) {
  const { approval: w } = useDesignerWords()
  const { design, edit } = designing
  const { definition } = design
  const { name } = transition
  const roles = useRoles()
  const set = (change: Parameters<typeof changeGate>[2], field?: string) =>
    edit({ definition: changeGate(definition, name, change) }, field && `${name} ${field}`)
  const setRules = (rules: Rule[], known?: Names, field?: string) =>
    edit(
      { definition: changeGate(definition, name, { rules }), ...(known && { names: known }) },
      field && `${name} ${field}`,
    )
  const others = definition.transitions.filter(each => each.approval && each.name !== name)
  const excluded = gate.excludes_approvers_of ?? []
  const meaning = gate.signature_required ? (gate.signature_type ?? 'approval') : 'none'
  const isOffered = meaning === 'none' || offered.some(each => each === meaning)
  const { escalate_to: escalation } = gate
  const toldRole = escalation ? (escalation.kind === 'role' ? String(escalation.who) : 'other') : 'nobody'
  return (
    <section className={styles.approval} aria-label={w.title}>
      <h4>{w.title}</h4>
      {gate.rules.map((rule, index) => (
        <RuleFields
          // biome-ignore lint/suspicious/noArrayIndexKey: approvers have nothing else that they are known by
          key={index}
          rule={rule}
          index={index}
          isOnly={gate.rules.length === 1}
          names={names}
          faults={faults}
          onChange={(next, known, field) => setRules(gate.rules.with(index, next), known, field)}
          onRemove={() => setRules(gate.rules.toSpliced(index, 1))}
        />
      ))}
      <OtherOf faults={faults} field="approval" besides={['rules']} />
      <OtherOf faults={faults.filter(({ rest }) => rest[1] === 'rules' && rest.length === 2)} field="approval" />
      <Button icon={Plus} onPress={() => setRules([...gate.rules, newRule()])}>
        {w.addRule}
      </Button>
      {gate.rules.length > 1 && (
        <Choice
          label={w.mode}
          options={(['parallel', 'sequential'] as const).map(id => ({ id, name: w.modes[id] }))}
          value={gate.mode}
          onChange={mode => set({ mode })}
        />
      )}
      <div className={styles.checks}>
        <Checkbox
          isSelected={gate.author_may_approve}
          onChange={author_may_approve => set({ author_may_approve })}
          detail={w.authorHint}
        >
          {w.author}
        </Checkbox>
        {others.map(each => (
          <Checkbox
            key={each.name}
            isSelected={excluded.includes(each.name)}
            onChange={isExcluded =>
              set({
                excludes_approvers_of: isExcluded
                  ? [...excluded, each.name]
                  : excluded.filter(step => step !== each.name),
              })
            }
          >
            {w.notThoseOf(labelOf(each))}
          </Checkbox>
        ))}
      </div>
      <Select
        label={w.signature}
        options={[
          ...(['none', ...offered] as const).map(id => ({ id: id as string, name: w.signatures[id] })),
          ...(isOffered ? [] : [{ id: meaning, name: w.otherSignature }]),
        ]}
        value={meaning}
        onChange={next =>
          set(
            next === 'none'
              ? { signature_required: false, signature_type: undefined }
              : { signature_required: true, signature_type: next as NonNullable<Gate['signature_type']> },
          )
        }
        wrong={faultAt(faults, 'approval', 'signature_type')}
      />
      <div className={styles.trio}>
        <Field
          label={w.due}
          hint={w.dueHint}
          inputMode="numeric"
          value={gate.due_days === undefined ? '' : String(gate.due_days)}
          onChange={text => {
            const due_days = daysIn(text)
            set(
              due_days === undefined
                ? { due_days, remind_days_before: undefined, escalate_to: undefined }
                : { due_days },
              'due',
            )
          }}
          wrong={faultAt(faults, 'approval', 'due_days')}
        />
        {gate.due_days !== undefined && (
          <>
            <Field
              label={w.remind}
              inputMode="numeric"
              value={String(gate.remind_days_before ?? 2)}
              onChange={text => set({ remind_days_before: daysIn(text) ?? 0 }, 'remind')}
              wrong={faultAt(faults, 'approval', 'remind_days_before')}
            />
            <Select
              label={w.escalate}
              options={[
                { id: 'nobody', name: w.nobody },
                ...roles,
                ...(toldRole === 'other' ? [{ id: 'other', name: w.otherPeople }] : []),
              ]}
              value={toldRole}
              onChange={who => {
                if (who !== 'other') set({ escalate_to: who === 'nobody' ? undefined : { kind: 'role', who } })
              }}
              wrong={faultAt(faults, 'approval', 'escalate_to')}
            />
          </>
        )}
      </div>
    </section>
  )
}

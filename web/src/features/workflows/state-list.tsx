import { ArrowDown, ArrowRight, ArrowUp, Ellipsis, Plus, Trash2 } from 'lucide-react'
import { useId } from 'react'
import {
  labelOf,
  labelOfState,
  type Names,
  type State,
  sourcesOf,
  type Transition,
} from '../../records/workflow/definition.ts'
import { transitionInWords } from '../../records/workflow/sentences.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { announce } from '../../ui/toasts.tsx'
import editor from './editors.module.css'
import { addState, addTransition, changeState, moveState, removeState, removeTransition } from './edits.ts'
import { type Fault, faultAt, type Place } from './places.ts'
import styles from './state-list.module.css'
import { TransitionEditor } from './transition-editor.tsx'
import type { Designing } from './use-design.ts'
import { useDesignerWords } from './words.ts'

interface Props {
  designing: Designing
  names: Names
  faults: readonly Fault[]
  chosen: Place | undefined
  onChoose: (place: Place | undefined) => void
  /** Opens it, and goes there. */
  onShow: (place: Place) => void
  isReadOnly: boolean
}

/** All states in their order, each with what leads out of it in words. What is pressed opens below itself. */
export function StateList(props: Props) {
  const w = useDesignerWords()
  const { designing, isReadOnly, onShow } = props
  const { definition } = designing.design
  return (
    <>
      <ol className={styles.states} aria-label={w.listLabel}>
        {definition.states.map((state, index) => (
          <StateItem key={state.name} state={state} index={index} {...props} />
        ))}
      </ol>
      {!isReadOnly && (
        <p className={styles.add} data-print="none">
          <Button
            icon={Plus}
            onPress={() => {
              const { definition: next, name } = addState(definition, w.newState)
              designing.edit({ definition: next })
              onShow({ kind: 'state', name })
            }}
          >
            {w.addState}
          </Button>
        </p>
      )}
    </>
  )
}

function StateItem({ state, index, ...props }: Props & { state: State; index: number }) {
  const w = useDesignerWords()
  const { designing, faults, chosen, onChoose, onShow, isReadOnly } = props
  const { design, edit } = designing
  const { definition } = design
  const { name, label, kind } = state
  const panel = useId()
  const isOpen = !isReadOnly && chosen?.kind === 'state' && chosen.name === name
  const own = faults.filter(({ place }) => place?.kind === 'state' && place.name === name)
  const ways = definition.transitions.filter(each => sourcesOf(each).includes(name))
  const move = (by: 1 | -1) => edit({ definition: moveState(definition, name, by) })
  const head = (
    <>
      <b>{label}</b>
      <span className={`${styles.kind} ${styles[kind]}`}>{w.state.kindNames[kind]}</span>
    </>
  )
  return (
    <li className={styles.state}>
      <div className={styles.head}>
        {isReadOnly ? (
          <h3 className={styles.name}>{head}</h3>
        ) : (
          <h3>
            <button
              type="button"
              className={styles.name}
              aria-expanded={isOpen}
              aria-controls={panel}
              onClick={() => onChoose(isOpen ? undefined : { kind: 'state', name })}
            >
              {head}
            </button>
          </h3>
        )}
        {!isReadOnly && (
          <Menu label={w.actionsOf(label)} trigger={<Button look="icon" label={w.actionsOf(label)} icon={Ellipsis} />}>
            <MenuItem
              icon={ArrowUp}
              name={w.up}
              whyNot={index === 0 ? w.isFirst : undefined}
              onAction={() => move(-1)}
            />
            <MenuItem
              icon={ArrowDown}
              name={w.down}
              whyNot={index === definition.states.length - 1 ? w.isLast : undefined}
              onAction={() => move(1)}
            />
            <MenuItem
              icon={Trash2}
              name={w.remove}
              whyNot={definition.states.length === 1 ? w.isFirst : undefined}
              onAction={() => {
                edit({ definition: removeState(definition, name) })
                announce(w.removed(label))
              }}
            />
          </Menu>
        )}
      </div>
      {!isReadOnly && <OwnFaults faults={own.filter(({ rest }) => rest.length === 0)} />}
      <div id={panel}>{isOpen && <StateEditor state={state} designing={designing} faults={own} />}</div>
      {ways.length > 0 && (
        <ul className={styles.ways}>
          {ways.map(transition => (
            <WayItem key={transition.name} transition={transition} from={name} {...props} />
          ))}
        </ul>
      )}
      {ways.length === 0 && kind !== 'final' && <p className={styles.none}>{w.noTransitions}</p>}
      {!isReadOnly && kind !== 'final' && (
        <p className={styles.addWay} data-print="none">
          <Button
            look="quiet"
            icon={Plus}
            aria-label={`${w.addTransition}: ${label}`}
            onPress={() => {
              const { definition: next, name: added } = addTransition(definition, name, w.newTransition)
              edit({ definition: next })
              onShow({ kind: 'transition', name: added, from: name })
            }}
          >
            {w.addTransition}
          </Button>
        </p>
      )}
    </li>
  )
}

const OwnFaults = ({ faults }: { faults: readonly Fault[] }) =>
  faults.map(({ text }) => (
    <p key={text} className={styles.fault}>
      {text}
    </p>
  ))

const kinds = ['initial', 'review', 'effective', 'final'] as const

function StateEditor({
  state: { name, label, kind },
  designing: { design, edit },
  faults,
}: {
  state: State
  designing: Designing
  faults: readonly Fault[]
}) {
  const { state: w } = useDesignerWords()
  const set = (change: Partial<State>, field?: string) =>
    edit({ definition: changeState(design.definition, name, change) }, field && `state ${name} ${field}`)
  return (
    <div className={editor.editor}>
      <Field
        label={w.label}
        maxLength={80}
        value={label}
        onChange={next => set({ label: next }, 'label')}
        wrong={faultAt(faults, 'label')}
      />
      <Choice
        label={w.kind}
        options={kinds.map(id => ({ id, name: w.kinds[id] }))}
        value={kind}
        onChange={next => set({ kind: next })}
        wrong={faultAt(faults, 'kind')}
      />
    </div>
  )
}

function WayItem({
  transition,
  from,
  designing,
  names,
  faults,
  chosen,
  onChoose,
  isReadOnly,
}: Props & { transition: Transition; from: string }) {
  const w = useDesignerWords()
  const sentences = useWorkflowSentences()
  const { design, edit } = designing
  const { definition } = design
  const { name, to } = transition
  const panel = useId()
  const label = labelOf(transition)
  const own = faults.filter(({ place }) => place?.kind === 'transition' && place.name === name)
  const isFirst = sourcesOf(transition)[0] === from
  const isOpen = !isReadOnly && chosen?.kind === 'transition' && chosen.name === name && chosen.from === from
  const line = (
    <>
      <span className={styles.way}>
        <b>{label}</b> <ArrowRight size={13} aria-hidden="true" /> <span className="visually-hidden">{w.to('')}</span>
        {labelOfState(definition, to)}
      </span>
      <span className={styles.how}>{transitionInWords(transition, definition, names, sentences)}</span>
    </>
  )
  return (
    <li>
      {isReadOnly ? (
        <div className={styles.line}>{line}</div>
      ) : (
        <button
          type="button"
          className={styles.line}
          aria-expanded={isOpen}
          aria-controls={panel}
          onClick={() => onChoose(isOpen ? undefined : { kind: 'transition', name, from })}
        >
          {line}
        </button>
      )}
      {!isReadOnly && isFirst && !isOpen && <OwnFaults faults={own} />}
      <div id={panel}>
        {isOpen && (
          <>
            <OwnFaults faults={own.filter(({ rest }) => rest.length === 0)} />
            <TransitionEditor transition={transition} designing={designing} names={names} faults={own} />
            <p className={styles.removeWay}>
              <Button
                look="danger"
                icon={Trash2}
                onPress={() => {
                  edit({ definition: removeTransition(definition, name) })
                  onChoose(undefined)
                  announce(w.removed(label))
                }}
              >
                {w.removeTransition(label)}
              </Button>
            </p>
          </>
        )}
      </div>
    </li>
  )
}

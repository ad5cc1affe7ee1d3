import { CircleAlert, CircleCheck, Redo2, TriangleAlert, Undo2 } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Names } from '../../records/workflow/definition.ts'
import { labelOf, labelOfState } from '../../records/workflow/definition.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import styles from './designer.module.css'
import { WorkflowGraph } from './graph.tsx'
import { keyOf, type Place, withRights } from './places.ts'
import { StateList } from './state-list.tsx'
import type { Check } from './use-check.ts'
import type { Designing } from './use-design.ts'
import { useDesignerWords } from './words.ts'

interface Props {
  designing: Designing
  check: Check
  names: Names
  /** Whoever may not change it sees it without its fields. */
  isReadOnly: boolean
}

const isTyping = (target: EventTarget | null) => target instanceof HTMLElement && target.matches('input, textarea')

/** Ctrl Z and Ctrl Shift Z, wherever the focus is: what had it may be gone with what was undone. In a field they are the field's own. */
function useUndoKeys({ undo, redo }: Pick<Designing, 'undo' | 'redo'>, isOn: boolean) {
  const acts = useRef({ undo, redo })
  acts.current = { undo, redo }
  useEffect(() => {
    if (!isOn) return
    const onKeyDown = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase()
      if (!(event.ctrlKey || event.metaKey) || (key !== 'z' && key !== 'y')) return
      if (isTyping(event.target) || document.querySelector('[role="dialog"]')) return
      event.preventDefault()
      if (key === 'y' || event.shiftKey) acts.current.redo()
      else acts.current.undo()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [isOn])
}

/** The workflow as a picture and as a list, both of which open what is pressed. */
export function Designer({ designing, check, names, isReadOnly }: Props) {
  const w = useDesignerWords()
  const { design, edit, undo, redo, canUndo, canRedo } = designing
  const [chosen, setChosen] = useState<Place>()
  const list = useRef<HTMLDivElement>(null)
  const [wanted, setWanted] = useState(0)
  const wrong = useMemo(
    () => new Set(check.faults.flatMap(({ place }) => (place ? [keyOf(place)] : []))),
    [check.faults],
  )
  // A choice in the picture or at a fault opens in the list, and the keyboard goes on from there.
  useEffect(() => {
    if (wanted === 0) return
    const opened = list.current?.querySelector<HTMLElement>('[aria-expanded="true"]')
    opened?.focus()
    opened?.scrollIntoView({ block: 'nearest' })
  }, [wanted])
  useUndoKeys(designing, !isReadOnly)
  const show = (place: Place) => {
    setChosen(place)
    setWanted(wanted + 1)
  }
  return (
    <div className={styles.designer}>
      {!isReadOnly && (
        <div className={styles.texts}>
          <Field
            label={w.name}
            isRequired
            maxLength={120}
            value={design.name}
            onChange={name => edit({ name }, 'name')}
          />
          <Field
            label={w.description}
            maxLength={2000}
            value={design.description}
            onChange={description => edit({ description }, 'description')}
          />
        </div>
      )}
      {!isReadOnly && (
        <div className={styles.bar} data-print="none">
          <Button look="icon" label={w.undo} icon={Undo2} isDisabled={!canUndo} onPress={undo} />
          <Button look="icon" label={w.redo} icon={Redo2} isDisabled={!canRedo} onPress={redo} />
          <CheckLine check={check} />
        </div>
      )}
      {!isReadOnly && <Faults designing={designing} check={check} onShow={show} />}
      <div className={styles.columns}>
        <div ref={list} className={styles.list}>
          <h2 className="visually-hidden">{w.listLabel}</h2>
          <StateList
            designing={designing}
            names={names}
            faults={check.faults}
            chosen={chosen}
            onChoose={setChosen}
            onShow={show}
            isReadOnly={isReadOnly}
          />
        </div>
        <figure className={styles.picture}>
          <figcaption className="soft">{isReadOnly ? w.pictureLabel : w.pictureHint}</figcaption>
          <WorkflowGraph
            definition={design.definition}
            chosen={chosen}
            wrong={wrong}
            onChoose={isReadOnly ? undefined : show}
          />
        </figure>
      </div>
    </div>
  )
}

/** How the check stands, in one line that is read out when it changes. */
function CheckLine({ check }: { check: Check }) {
  const w = useDesignerWords()
  const { faults, error, isCurrent } = check
  return (
    <p className={styles.checked} role="status">
      {error ? (
        w.notChecked
      ) : !isCurrent ? (
        <span className="soft">{w.checking}</span>
      ) : faults.length > 0 ? (
        <span className={styles.bad}>
          <CircleAlert size={15} aria-hidden="true" /> {w.faultsTitle(faults.length)}
        </span>
      ) : (
        <span className={styles.good}>
          <CircleCheck size={15} aria-hidden="true" /> {w.noFaults}
        </span>
      )}
    </p>
  )
}

interface FaultsProps {
  designing: Designing
  check: Check
  onShow: (place: Place) => void
}

/** What is wrong, each with the way to its place; and what to look out for. */
function Faults({ designing: { design }, check, onShow }: FaultsProps) {
  const w = useDesignerWords()
  const { rights } = useWorkflowSentences()
  const { definition } = design
  const { faults, answer } = check
  const shortfalls = answer?.document_types.flatMap(({ shortfall }) => shortfall?.detail ?? []) ?? []
  const warnings = answer?.warnings ?? []
  if (faults.length + shortfalls.length + warnings.length === 0) return null
  const nameOf = (place: Place) => {
    if (place.kind === 'state') return labelOfState(definition, place.name)
    return labelOf(definition.transitions.find(({ name }) => name === place.name) ?? { name: place.name })
  }
  return (
    <div className={styles.faults}>
      {faults.length > 0 && (
        <ul aria-label={w.faultsTitle(faults.length)} className={styles.badList}>
          {faults.map(({ place, text, rest }) => (
            <li key={`${place ? keyOf(place) : ''} ${rest.join('/')} ${text}`}>
              <span>
                <b>{place ? nameOf(place) : w.whole}</b> {text}
              </span>
              {place && (
                <Button look="quiet" onPress={() => onShow(place)} aria-label={`${w.showFault}: ${nameOf(place)}`}>
                  {w.showFault}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {shortfalls.length > 0 && <Notes title={w.shortfall} notes={shortfalls.map(each => withRights(each, rights))} />}
      {warnings.length > 0 && <Notes title={w.warnings} notes={warnings.map(each => withRights(each, rights))} />}
    </div>
  )
}

const Notes = ({ title, notes }: { title: string; notes: string[] }) => (
  <ul aria-label={title} className={styles.notes}>
    {notes.map(each => (
      <li key={each}>
        <TriangleAlert size={15} aria-hidden="true" />
        <span>{each}</span>
      </li>
    ))}
  </ul>
)

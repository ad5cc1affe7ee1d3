import { useMemo } from 'react'
import type { Definition } from '../../records/workflow/definition.ts'
import styles from './graph.module.css'
import { type DrawnWay, draw, headOf, pathOf, shortened } from './graph-layout.ts'
import type { Place } from './places.ts'

interface Props {
  definition: Definition
  chosen: Place | undefined
  /** The states and transitions that something is wrong with. */
  wrong: ReadonlySet<string>
  onChoose?: ((place: Place) => void) | undefined
}

const classes = (...names: (string | false | undefined)[]) => names.filter(Boolean).join(' ')

/**
 * The workflow as a picture. The list beside it says and does the same, for keyboards and readers: nobody needs the picture, so it is
 * hidden from them.
 */
export function WorkflowGraph({ definition, chosen, wrong, onChoose }: Props) {
  const drawing = useMemo(() => draw(definition), [definition])
  const { width, height, states, ways } = drawing
  return (
    <svg
      className={styles.graph}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      aria-hidden="true"
      role="presentation"
    >
      {ways.map(way => (
        <Way
          key={`${way.from} ${way.transition.name}`}
          way={way}
          isChosen={chosen?.kind === 'transition' && chosen.name === way.transition.name}
          isWrong={wrong.has(`transition ${way.transition.name}`)}
          onChoose={onChoose && (() => onChoose({ kind: 'transition', name: way.transition.name, from: way.from }))}
        />
      ))}
      {states.map(({ state, x, y, width, height }) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: the same can be pressed in the list beside, by keyboard too
        <g
          key={state.name}
          className={classes(
            styles.state,
            styles[state.kind],
            chosen?.kind === 'state' && chosen.name === state.name && styles.chosen,
            wrong.has(`state ${state.name}`) && styles.wrong,
            onChoose && styles.pressable,
          )}
          onClick={onChoose && (() => onChoose({ kind: 'state', name: state.name }))}
        >
          <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx="6" />
          <text x={x} y={y + 4.5}>
            {shortened(state.label)}
          </text>
        </g>
      ))}
    </svg>
  )
}

interface WayProps {
  way: DrawnWay
  isChosen: boolean
  isWrong: boolean
  onChoose: (() => void) | undefined
}

function Way({ way, isChosen, isWrong, onChoose }: WayProps) {
  const { points, x, y, width, height, label, trigger } = way
  const isByItself = trigger.startsWith('on_')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the same can be pressed in the list beside, by keyboard too
    <g
      className={classes(
        styles.way,
        trigger === 'approval' && styles.approval,
        isByItself && styles.byItself,
        isChosen && styles.chosen,
        isWrong && styles.wrong,
        onChoose && styles.pressable,
      )}
      onClick={onChoose}
    >
      <path d={pathOf(points)} />
      <polygon points={headOf(points)} />
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx="12" />
      <text x={x} y={y + 4}>
        {label}
      </text>
    </g>
  )
}

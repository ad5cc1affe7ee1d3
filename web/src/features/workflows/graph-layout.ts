import { Graph, layout } from '@dagrejs/dagre'
import {
  type Definition,
  labelOf,
  type State,
  sourcesOf,
  type Transition,
  type Trigger,
  triggerOf,
} from '../../records/workflow/definition.ts'

interface Point {
  x: number
  y: number
}
interface Box extends Point {
  width: number
  height: number
}
export interface DrawnState extends Box {
  state: State
}
/** From one of the states that the transition leads out of. */
export interface DrawnWay extends Box {
  transition: Transition
  trigger: Trigger
  from: string
  label: string
  points: Point[]
}
export interface Drawing {
  width: number
  height: number
  states: DrawnState[]
  ways: DrawnWay[]
}

const letter = 7.1
const widthOf = (label: string, most: number) => Math.min(most, Math.round(label.length * letter) + 28)

/** Longer ones would push everything else away; the list beside has them in full. */
export const shortened = (label: string, most = 24) => (label.length > most ? `${label.slice(0, most - 1)}…` : label)

/** Where each state and each transition is drawn: the states below each other in their order, as far as the transitions allow. */
export function draw(definition: Definition): Drawing {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'TB', nodesep: 26, edgesep: 18, ranksep: 30, marginx: 8, marginy: 8 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { name, label } of definition.states)
    graph.setNode(name, { width: Math.max(88, widthOf(shortened(label), 210)), height: 34 })
  const order = new Map(definition.states.map(({ name }, index) => [name, index]))
  const ways = definition.transitions.flatMap(transition =>
    sourcesOf(transition)
      .filter(from => order.has(from) && order.has(transition.to))
      .map(from => ({ transition, from, label: shortened(labelOf(transition)), trigger: triggerOf(transition) })),
  )
  // The way forward is straight, and what leads back or aside goes around it.
  for (const { transition, from, label } of ways)
    graph.setEdge(
      from,
      transition.to,
      {
        width: widthOf(label, 200),
        height: 24,
        labelpos: 'c',
        weight: order.get(transition.to) === order.get(from)! + 1 ? 12 : 1,
      },
      transition.name,
    )
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    states: definition.states.map(state => ({ state, ...(graph.node(state.name) as Box) })),
    ways: ways.map(way => ({
      ...way,
      ...(graph.edge(way.from, way.transition.to, way.transition.name) as Box & { points: Point[] }),
    })),
  }
}

const at = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`
const between = (a: Point, b: Point): Point => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })

/** A line through all points, rounded at each. */
export function pathOf(points: Point[]): string {
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (!first || !last) return ''
  const curves = rest.slice(0, -1).map((point, i) => `Q ${at(point)} ${at(between(point, rest[i + 1]!))}`)
  return [`M ${at(first)}`, ...curves, `L ${at(last)}`].join(' ')
}

/** The head of an arrow at the end of a line. */
export function headOf(points: Point[]): string {
  const end = points.at(-1)
  const before = points.at(-2)
  if (!end || !before) return ''
  const length = Math.hypot(end.x - before.x, end.y - before.y) || 1
  const [dx, dy] = [(end.x - before.x) / length, (end.y - before.y) / length]
  const back = (side: 1 | -1): Point => ({
    x: end.x - dx * 8 + dy * 4 * side,
    y: end.y - dy * 8 - dx * 4 * side,
  })
  return [end, back(1), back(-1)].map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')
}

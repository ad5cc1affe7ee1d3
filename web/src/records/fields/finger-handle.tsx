import type { ReactNode, PointerEvent as ReactPointerEvent } from 'react'
import styles from './finger-handle.module.css'

/** How far a finger may tremble before it moves a line. */
const trembling = 6
/** So near to the edge of the window, the page scrolls by up to so many pixels in a frame. */
const edge = 80
const fastest = 14

type OnDrop = (key: string, target: string, isAfter: boolean) => void

const linesOf = (list: Element) => [...list.querySelectorAll<HTMLElement>('[role="row"][data-key]')]

/** The line under the finger, or the nearest, and on which side of it the moved one would stand. */
function targetAt(list: Element, y: number) {
  const lines = linesOf(list).map(line => ({ line, box: line.getBoundingClientRect() }))
  const { line, box } = lines.find(({ box: { bottom } }) => y < bottom) ?? lines.at(-1)!
  return { line, isAfter: y > box.top + box.height / 2 }
}

function moveByFinger(down: ReactPointerEvent, onDrop: OnDrop) {
  const handle = down.currentTarget
  const moved = handle.closest<HTMLElement>('[role="row"][data-key]')
  const list = handle.closest('[role="grid"]')
  if (down.pointerType === 'mouse' || !down.isPrimary || !moved || !list) return
  // Otherwise a finger that rests on the handle begins the dragging of the browser, which ends this one.
  moved.draggable = false
  let y = down.clientY
  let isMoving = false
  let frame = 0
  const mark = () => {
    for (const line of linesOf(list)) delete line.dataset.dropAt
    const { line, isAfter } = targetAt(list, y)
    if (line !== moved) line.dataset.dropAt = isAfter ? 'after' : 'before'
  }
  const scroll = () => {
    const above = Math.min(0, y - edge)
    const below = Math.max(0, y - (window.innerHeight - edge))
    if (above + below !== 0) {
      window.scrollBy(0, Math.max(-1, Math.min(1, (above + below) / edge)) * fastest)
      mark()
    }
    frame = requestAnimationFrame(scroll)
  }
  const move = (event: PointerEvent) => {
    if (event.pointerId !== down.pointerId) return
    y = event.clientY
    if (!isMoving) {
      if (Math.hypot(event.clientX - down.clientX, y - down.clientY) < trembling) return
      isMoving = true
      moved.dataset.moving = ''
      frame = requestAnimationFrame(scroll)
    }
    mark()
  }
  const ended = new AbortController()
  const end = (event: PointerEvent) => {
    if (event.pointerId !== down.pointerId) return
    ended.abort()
    cancelAnimationFrame(frame)
    moved.draggable = true
    delete moved.dataset.moving
    for (const line of linesOf(list)) delete line.dataset.dropAt
    if (!isMoving || event.type === 'pointercancel') return
    const { line, isAfter } = targetAt(list, event.clientY)
    if (line !== moved) onDrop(moved.dataset.key!, line.dataset.key!, isAfter)
  }
  const { signal } = ended
  window.addEventListener('pointermove', move, { signal })
  window.addEventListener('pointerup', end, { signal })
  window.addEventListener('pointercancel', end, { signal })
}

/**
 * Around the handle of a line, which a finger or pen moves at once: browsers begin their own dragging only after a long press, and some
 * never by touch. A mouse is left to React Aria, whose handle lets every pointer through to what is behind it.
 */
export function FingerHandle({ onDrop, children }: { onDrop: OnDrop; children: ReactNode }) {
  return (
    <span className={styles.handle} onPointerDown={event => moveByFinger(event, onDrop)}>
      {children}
    </span>
  )
}

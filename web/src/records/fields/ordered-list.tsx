import { ArrowDown, ArrowUp, Ellipsis, GripVertical, PenLine, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button as AriaButton, DropIndicator, GridList, GridListItem, useDragAndDrop } from 'react-aria-components'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useWords } from '../../words/index.ts'
import { FingerHandle } from './finger-handle.tsx'
import styles from './ordered-list.module.css'

interface Props<T> {
  label: string
  items: readonly T[]
  keyOf: (item: T) => string
  /** What it is read out as. */
  nameOf: (item: T) => string
  onOrder: (items: T[]) => void
  /** Of a list whose lines do not move one by one: where a line was dropped, and what its menu does. */
  moves?: {
    onDrop: (key: string, target: string, isAfter: boolean) => void
    onShift: (item: T, by: -1 | 1) => void
    isAtEnd: (item: T, by: -1 | 1) => boolean
  }
  onEdit?: (item: T) => void
  onRemove: (item: T) => void
  isDisabled?: boolean
  children: (item: T, index: number) => ReactNode
}

/** The same items in another order: one of them before or after another. */
function moved<T>(items: readonly T[], keyOf: (item: T) => string, key: string, target: string, isAfter: boolean) {
  const rest = items.filter(item => keyOf(item) !== key)
  const at = rest.findIndex(item => keyOf(item) === target) + (isAfter ? 1 : 0)
  return rest.toSpliced(at, 0, ...items.filter(item => keyOf(item) === key))
}

/** A list whose order matters: changed by mouse and finger, by the keys of the handle, and by each line's menu. */
export function OrderedList<T>({
  label,
  items,
  keyOf,
  nameOf,
  onOrder,
  moves,
  onEdit,
  onRemove,
  isDisabled = false,
  children,
}: Props<T>) {
  const { ordering: w } = useWords()
  const drop = (key: string, target: string, isAfter: boolean) =>
    moves ? moves.onDrop(key, target, isAfter) : onOrder(moved(items, keyOf, key, target, isAfter))
  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled,
    getItems: keys => [...keys].map(key => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target: { key, dropPosition } }) => {
      if (!keys.has(key)) for (const each of keys) drop(String(each), String(key), dropPosition === 'after')
    },
    renderDropIndicator: target => <DropIndicator target={target} className={styles.indicator!} />,
  })
  const isAtEnd = (item: T, index: number, by: -1 | 1) =>
    moves ? moves.isAtEnd(item, by) : index + by < 0 || index + by >= items.length
  const shift = (index: number, by: -1 | 1) => {
    if (moves) return moves.onShift(items[index]!, by)
    const next = [...items]
    next.splice(index + by, 0, ...next.splice(index, 1))
    onOrder(next)
  }
  return (
    <GridList
      aria-label={label}
      className={styles.list!}
      items={items.map((item, index) => ({ id: keyOf(item), item, index }))}
      dependencies={[items, isDisabled]}
      dragAndDropHooks={dragAndDropHooks}
      // Buttons within a line are reached by the Tab key too.
      keyboardNavigationBehavior="tab"
    >
      {({ id, item, index }) => (
        <GridListItem id={id} textValue={nameOf(item)} className={styles.item!}>
          {!isDisabled && (
            <FingerHandle onDrop={drop}>
              <AriaButton slot="drag" className={styles.handle!} aria-label={w.move(nameOf(item))}>
                <GripVertical size={16} aria-hidden="true" />
              </AriaButton>
            </FingerHandle>
          )}
          <div className={styles.content}>{children(item, index)}</div>
          {!isDisabled && (
            <Menu
              label={w.actions(nameOf(item))}
              trigger={
                <AriaButton className={styles.handle!} aria-label={w.actions(nameOf(item))}>
                  <Ellipsis size={16} aria-hidden="true" />
                </AriaButton>
              }
            >
              {onEdit && <MenuItem icon={PenLine} name={w.edit} onAction={() => onEdit(item)} />}
              <MenuItem
                icon={ArrowUp}
                name={w.up}
                whyNot={isAtEnd(item, index, -1) ? w.isFirst : undefined}
                onAction={() => shift(index, -1)}
              />
              <MenuItem
                icon={ArrowDown}
                name={w.down}
                whyNot={isAtEnd(item, index, 1) ? w.isLast : undefined}
                onAction={() => shift(index, 1)}
              />
              <MenuItem icon={Trash2} name={w.remove} onAction={() => onRemove(item)} />
            </Menu>
          )}
        </GridListItem>
      )}
    </GridList>
  )
}

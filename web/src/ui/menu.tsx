import { Check, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  MenuItem as AriaItem,
  Menu as AriaMenu,
  Header,
  type Key,
  MenuSection,
  MenuTrigger,
  Popover,
  Separator,
} from 'react-aria-components'
import styles from './menu.module.css'

export function Menu({ trigger, label, children }: { trigger: ReactNode; label: string; children: ReactNode }) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={styles.popover!} offset={4}>
        <AriaMenu className={styles.menu!} aria-label={label}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

interface Item {
  icon?: LucideIcon
  name: string
  /** As for a button: it can be reached, says why, and does nothing. */
  whyNot?: string | undefined
  onAction: () => void
}

export const MenuItem = ({ icon: Icon, name, whyNot, onAction }: Item) => (
  <AriaItem
    className={`${styles.item} ${whyNot ? styles.off : ''}`}
    textValue={whyNot ? `${name}: ${whyNot}` : name}
    onAction={() => whyNot ?? onAction()}
  >
    <span className={styles.icon}>{Icon && <Icon size={15} aria-hidden="true" />}</span>
    <span>{name}</span>
    {whyNot && <span className={styles.hint}>{whyNot}</span>}
  </AriaItem>
)

/** Between what belongs together. */
export const MenuLine = () => <Separator className={styles.line!} />

interface Group {
  title: string
  chosen: string
  onChoose: (id: Key) => void
  children: ReactNode
}

/** One of some choices. */
export const MenuGroup = ({ title, chosen, onChoose, children }: Group) => (
  <MenuSection
    className={styles.group!}
    selectionMode="single"
    disallowEmptySelection
    selectedKeys={[chosen]}
    onSelectionChange={keys => {
      for (const each of keys) onChoose(each as Key)
    }}
  >
    <Header className={styles.title!}>{title}</Header>
    {children}
  </MenuSection>
)

export const MenuChoice = ({ id, icon: Icon, name }: { id: string; icon?: LucideIcon; name: string }) => (
  <AriaItem id={id} className={styles.item!} textValue={name}>
    {({ isSelected }) => (
      <>
        <span className={styles.icon}>{Icon && <Icon size={15} aria-hidden="true" />}</span>
        <span>{name}</span>
        {isSelected && <Check size={14} className={styles.check} aria-hidden="true" />}
      </>
    )}
  </AriaItem>
)

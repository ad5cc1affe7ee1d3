import { Check, ChevronDown } from 'lucide-react'
import { Button, Menu, MenuItem, MenuTrigger, Popover, ToggleButton } from 'react-aria-components'
import styles from './filter.module.css'

interface Props {
  label: string
  options: { id: string; name: string }[]
  /** None of them: all. */
  value: string[]
  onChange: (value: string[]) => void
}

/** Some of several values, or all. Says what it is set to without being opened. */
export function Filter({ label, options, value, onChange }: Props) {
  const nameOf = (id: string) => options.find(each => each.id === id)?.name ?? id
  return (
    <MenuTrigger>
      <Button className={`${styles.chip} ${value.length > 0 ? styles.on : ''}`}>
        {label}
        {value.length > 0 && (
          <b>{value.length === 1 ? nameOf(value[0]!) : `${nameOf(value[0]!)} +${value.length - 1}`}</b>
        )}
        <ChevronDown size={14} aria-hidden="true" />
      </Button>
      <Popover className={styles.popover!} offset={4} placement="bottom start">
        <Menu
          aria-label={label}
          className={styles.menu!}
          selectionMode="multiple"
          selectedKeys={value}
          onSelectionChange={keys => onChange(options.map(({ id }) => id).filter(id => keys === 'all' || keys.has(id)))}
          items={options}
        >
          {({ id, name }) => (
            <MenuItem id={id} textValue={name} className={styles.item!}>
              {({ isSelected }) => (
                <>
                  <span className={styles.box}>
                    {isSelected && <Check size={12} strokeWidth={3} aria-hidden="true" />}
                  </span>
                  {name}
                </>
              )}
            </MenuItem>
          )}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}

interface ToggleProps {
  children: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

export const Toggle = ({ children, isOn, onChange }: ToggleProps) => (
  <ToggleButton className={`${styles.chip} ${isOn ? styles.on : ''}`} isSelected={isOn} onChange={onChange}>
    {isOn && <Check size={14} aria-hidden="true" />}
    {children}
  </ToggleButton>
)

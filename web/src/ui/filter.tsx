import { Check, ChevronDown, type LucideIcon, Search } from 'lucide-react'
import {
  Autocomplete,
  Button,
  Input,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  SearchField,
  ToggleButton,
} from 'react-aria-components'
import styles from './filter.module.css'

export interface Option {
  id: string
  name: string
  /** How many records have it. */
  count?: number
}

interface Props {
  label: string
  options: Option[]
  /** None of them: all. */
  value: string[]
  onChange: (value: string[]) => void
  /** What a count is read out as. */
  countLabel?: ((count: number) => string) | undefined
  /** Where there are more options than can be listed: what is typed is asked of the service, which answers with other options. */
  search?: { label: string; text: string; onChange: (text: string) => void }
  icon?: LucideIcon
  /** Does not say what it is set to. */
  isPlain?: boolean
}

/** Some of several values, or all. Says what it is set to without being opened. */
export function Filter(props: Props) {
  const { label, options, value, onChange, countLabel = String, search, icon: Icon, isPlain = false } = props
  const nameOf = (id: string) => options.find(each => each.id === id)?.name ?? id
  const isOn = !isPlain && value.length > 0
  // What is set stays set while another part of the options is in sight.
  const choose = (keys: 'all' | Set<string | number>) => {
    const isChosen = (id: string) => keys === 'all' || keys.has(id)
    const listed = options.map(({ id }) => id)
    onChange([...listed.filter(isChosen), ...value.filter(id => !listed.includes(id) && isChosen(id))])
  }
  const menu = (
    <Menu
      aria-label={label}
      className={styles.menu!}
      selectionMode="multiple"
      selectedKeys={value}
      onSelectionChange={choose}
      items={options}
    >
      {({ id, name, count }) => (
        <MenuItem id={id} textValue={name} className={styles.item!}>
          {({ isSelected }) => (
            <>
              <span className={styles.box}>{isSelected && <Check size={12} strokeWidth={3} aria-hidden="true" />}</span>
              {name}
              {count !== undefined && (
                <>
                  <span className={styles.count} aria-hidden="true">
                    {count}
                  </span>
                  <span className="visually-hidden">{countLabel(count)}</span>
                </>
              )}
            </>
          )}
        </MenuItem>
      )}
    </Menu>
  )
  return (
    <MenuTrigger>
      <Button className={`${styles.chip} ${isOn ? styles.on : ''}`}>
        {Icon && <Icon size={15} aria-hidden="true" />}
        {label}
        {isOn && <b>{value.length === 1 ? nameOf(value[0]!) : `${nameOf(value[0]!)} +${value.length - 1}`}</b>}
        <ChevronDown size={14} aria-hidden="true" />
      </Button>
      <Popover className={styles.popover!} offset={4} placement="bottom start">
        {search ? (
          <Autocomplete inputValue={search.text} onInputChange={search.onChange}>
            <SearchField aria-label={search.label} className={styles.search!} autoFocus>
              <Search size={14} aria-hidden="true" />
              <Input placeholder={search.label} />
            </SearchField>
            {menu}
          </Autocomplete>
        ) : (
          menu
        )}
      </Popover>
    </MenuTrigger>
  )
}

interface ToggleProps {
  name: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}

export const Toggle = ({ name, isOn, onChange }: ToggleProps) => (
  <ToggleButton className={`${styles.chip} ${isOn ? styles.on : ''}`} isSelected={isOn} onChange={onChange}>
    {isOn && <Check size={14} aria-hidden="true" />}
    {name}
  </ToggleButton>
)

interface OneProps<T extends string> {
  label: string
  values: readonly T[]
  names: Readonly<Record<T, string>>
  value: T | undefined
  onChange: (value: T | undefined) => void
}

/** One of several values, or all: another choice takes the place of the first. */
export const FilterOne = <T extends string>({ label, values, names, value, onChange }: OneProps<T>) => (
  <Filter
    label={label}
    options={values.map(id => ({ id, name: names[id] }))}
    value={value ? [value] : []}
    onChange={next => onChange(values.find(each => each !== value && next.includes(each)))}
  />
)

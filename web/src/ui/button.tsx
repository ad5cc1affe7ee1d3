import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps, Tooltip, TooltipTrigger } from 'react-aria-components'
import styles from './button.module.css'

interface Props extends Omit<ButtonProps, 'className' | 'children' | 'isPending'> {
  look?: 'main' | 'plain' | 'quiet' | 'danger' | 'icon'
  icon?: LucideIcon | undefined
  children?: ReactNode
  /** Why it cannot be pressed now. It stays in the order of the Tab key, and says so to everybody. */
  whyNot?: string | undefined
  /** What it does is under way. (React Aria's own leaves an announcement behind that names nothing once the button is gone.) */
  isPending?: boolean
  /** Of one that is an icon alone: its name, which is shown too. */
  label?: string
}

const iconSizes = { main: 15, plain: 15, danger: 15, quiet: 14, icon: 16 }

export function Button(given: Props) {
  const { look = 'plain', icon: Icon, children, whyNot, isPending = false, label, onPress, ...props } = given
  const hint = whyNot ?? label
  const button = (
    <AriaButton
      {...props}
      className={styles[look]!}
      {...(label !== undefined && { 'aria-label': label })}
      {...(whyNot !== undefined
        ? { 'aria-disabled': true, type: 'button' }
        : isPending
          ? { 'aria-disabled': true }
          : onPress && { onPress })}
    >
      {Icon && <Icon size={iconSizes[look]} aria-hidden="true" />}
      {children}
    </AriaButton>
  )
  if (hint === undefined) return button
  return (
    <TooltipTrigger delay={whyNot ? 100 : 500}>
      {button}
      <Tooltip className={styles.tip!} offset={6}>
        {hint}
      </Tooltip>
    </TooltipTrigger>
  )
}

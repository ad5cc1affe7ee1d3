import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps, Tooltip, TooltipTrigger } from 'react-aria-components'
import styles from './button.module.css'

interface Props extends Omit<ButtonProps, 'className' | 'children' | 'isPending'> {
  look?: 'main' | 'plain' | 'quiet' | 'danger' | 'icon'
  icon?: ReactNode
  children?: ReactNode
  /** Why it cannot be pressed now. It stays in the order of the Tab key, and says so to everybody. */
  whyNot?: string | undefined
  /** What it does is under way. (React Aria's own leaves an announcement behind that names nothing once the button is gone.) */
  isPending?: boolean
  /** Of one that is an icon alone: its name, which is shown too. */
  label?: string
}

export function Button({ look = 'plain', icon, children, whyNot, isPending = false, label, onPress, ...props }: Props) {
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
      {icon}
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

import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useWords } from '../words/index.ts'
import { Button } from './button.tsx'
import styles from './dialog.module.css'

interface Props {
  title: string
  /** What is done, and to which record: read out with the title. */
  about?: ReactNode
  isOpen: boolean
  /** Missing: it is answered, not closed. */
  onClose?: () => void
  children: ReactNode
  size?: 's' | 'm'
}

export function Dialog({ title, about, isOpen, onClose, children, size = 's' }: Props) {
  const { common: w } = useWords()
  return (
    <ModalOverlay
      className={styles.scrim!}
      isOpen={isOpen}
      onOpenChange={open => open || onClose?.()}
      isKeyboardDismissDisabled={!onClose}
    >
      <Modal className={`${styles.frame} ${styles[size]}`}>
        <AriaDialog className={styles.dialog!}>
          <header>
            <div>
              <Heading slot="title">{title}</Heading>
              {about && <div className={styles.about}>{about}</div>}
            </div>
            {onClose && <Button look="icon" label={w.close} icon={X} onPress={onClose} />}
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <footer className={styles.buttons}>{children}</footer>
)

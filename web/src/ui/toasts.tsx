import { CircleCheck, X } from 'lucide-react'
import {
  UNSTABLE_ToastContent as Content,
  UNSTABLE_ToastQueue as Queue,
  UNSTABLE_ToastRegion as Region,
  Text,
  UNSTABLE_Toast as Toast,
} from 'react-aria-components'
import { useWords } from '../words/index.ts'
import { Button } from './button.tsx'
import styles from './toasts.module.css'

const queue = new Queue<{ title: string; detail?: string }>({ maxVisibleToasts: 3 })

/** For what went well and needs no answer. A refusal stands where it was asked for, never here. */
export const announce = (title: string, detail?: string) =>
  queue.add({ title, ...(detail && { detail }) }, { timeout: 7000 })

export function Toasts() {
  const { common: w } = useWords()
  return (
    <Region queue={queue} className={styles.region!}>
      {({ toast }) => (
        <Toast toast={toast} className={styles.toast!}>
          <CircleCheck size={16} aria-hidden="true" />
          <Content className={styles.content!}>
            <Text slot="title">{toast.content.title}</Text>
            {toast.content.detail && <Text slot="description">{toast.content.detail}</Text>}
          </Content>
          <Button slot="close" look="icon" label={w.close} icon={X} />
        </Toast>
      )}
    </Region>
  )
}

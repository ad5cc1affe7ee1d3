import { FileText, FileUp, Upload } from 'lucide-react'
import { useId } from 'react'
import { DropZone, FileTrigger, Text } from 'react-aria-components'
import { useMe } from '../../features/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import styles from './file-choice.module.css'
import { faultOf, sizeInWords } from './file-rules.ts'

interface Props {
  file: File | undefined
  onChoose: (file: File) => void
  isDisabled: boolean
  wrong?: string | undefined
}

/** Why the service would refuse the file, in words; undefined if it would take it. */
export function useFileFault() {
  const { upload: w } = useWords()
  const { locale, list } = useFormat()
  const { features } = useMe()
  return (file: File) => {
    const fault = faultOf(file, features)
    if (fault === undefined) return undefined
    return w.faults[fault](file.name, {
      types: list(features.upload_types),
      most: sizeInWords(features.max_upload_bytes, locale),
      size: sizeInWords(file.size, locale),
    })
  }
}

/** Drop a file here, or choose one. A file that is refused stays named, beside the reason. */
export function FileChoice({ file, onChoose, isDisabled, wrong }: Props) {
  const { upload: w } = useWords()
  const { locale, list } = useFormat()
  const { features } = useMe()
  const reason = useId()
  const Icon = file ? FileText : FileUp
  return (
    <div>
      <DropZone
        className={`${styles.zone} ${wrong === undefined ? '' : styles.wrong}`}
        isDisabled={isDisabled}
        {...(wrong !== undefined && { 'aria-describedby': reason })}
        onDrop={({ items }) => {
          const first = items.find(each => each.kind === 'file')
          void first?.getFile().then(onChoose)
        }}
      >
        <Icon size={22} aria-hidden="true" />
        <div>
          <Text slot="label" className={styles.label!}>
            {file ? file.name : w.drop}
          </Text>
          <p className="soft">
            {file
              ? sizeInWords(file.size, locale)
              : w.limits(list(features.upload_types), sizeInWords(features.max_upload_bytes, locale))}
          </p>
        </div>
        <FileTrigger
          acceptedFileTypes={features.upload_types.map(each => `.${each}`)}
          onSelect={files => {
            const chosen = files?.[0]
            if (chosen) onChoose(chosen)
          }}
        >
          <Button isDisabled={isDisabled} icon={Upload}>
            {file ? w.chooseOther : w.choose}
          </Button>
        </FileTrigger>
      </DropZone>
      {wrong !== undefined && (
        <p id={reason} className={styles.reason} role="alert">
          {wrong}
        </p>
      )}
    </div>
  )
}

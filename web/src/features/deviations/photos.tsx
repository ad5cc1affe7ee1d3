import { Camera, FileText, Paperclip, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { useFileFault } from '../../records/fields/file-choice.tsx'
import { sizeInWords } from '../../records/fields/file-rules.ts'
import { Button } from '../../ui/button.tsx'
import type { KeptFile } from '../../ui/draft-files.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './report-page.module.css'
import { useReportWords } from './report-words.ts'
import type { usePhotos } from './use-photos.ts'
import type { RefusedFile } from './use-sending.ts'

/** Photos from the camera, and files. What the service would refuse is refused before it is kept. */
interface Props {
  of: ReturnType<typeof usePhotos>
  refused: RefusedFile | undefined
  wrong: string | undefined
}

export function Photos({ of: { files, add, remove }, refused, wrong: wrongOfService }: Props) {
  const w = useReportWords()
  const { problems } = useWords()
  const { features } = useMe()
  const faultWith = useFileFault()
  const [fault, setFault] = useState<string>()
  const choose = (chosen: FileList | null) => {
    const given = [...(chosen ?? [])]
    setFault(given.map(faultWith).find(each => each !== undefined))
    for (const file of given) if (faultWith(file) === undefined) void add(file)
  }
  const refusedName = files.find(({ id }) => id === refused?.id)?.file.name
  const wrong =
    fault ??
    wrongOfService ??
    (refused && refusedName && w.fileRefused(refusedName, refused.problem.message || problems.failedHint))
  return (
    <fieldset className={styles.items}>
      <legend>{w.photo}</legend>
      {files.length > 0 && (
        <ul className={styles.photos}>
          {files.map(each => (
            <Photo key={each.id} of={each} onRemove={() => void remove(each.id)} />
          ))}
        </ul>
      )}
      {wrong && (
        <p className={styles.wrong} role="alert">
          {wrong}
        </p>
      )}
      <div className={styles.triggers}>
        <FileTrigger acceptedFileTypes={['image/*']} defaultCamera="environment" onSelect={choose}>
          <Button icon={Camera}>{w.takePhoto}</Button>
        </FileTrigger>
        <FileTrigger acceptedFileTypes={features.upload_types.map(each => `.${each}`)} allowsMultiple onSelect={choose}>
          <Button icon={Paperclip}>{w.chooseFile}</Button>
        </FileTrigger>
      </div>
    </fieldset>
  )
}

function Photo({ of: { file }, onRemove }: { of: KeptFile; onRemove: () => void }) {
  const w = useReportWords()
  const { locale } = useFormat()
  const [address, setAddress] = useState<string>()
  const isPicture = file.type.startsWith('image/')
  useEffect(() => {
    if (!isPicture) return
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file, isPicture])
  return (
    <li>
      {address ? <img src={address} alt="" /> : <FileText size={22} aria-hidden="true" />}
      <span>
        {file.name} <span className="soft">{sizeInWords(file.size, locale)}</span>
      </span>
      <Button look="icon" label={w.dropPhoto(file.name)} icon={X} onPress={onRemove} />
    </li>
  )
}

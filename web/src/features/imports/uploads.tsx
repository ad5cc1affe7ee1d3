import { useQueryClient } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, FileText, FileUp, Upload, X } from 'lucide-react'
import { type ReactNode, useEffect, useReducer, useRef, useState } from 'react'
import { DropZone, FileTrigger, ProgressBar, Text } from 'react-aria-components'
import type { Answer } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { upload } from '../../api/upload.ts'
import choice from '../../records/fields/file-choice.module.css'
import { faultOf, sizeInWords } from '../../records/fields/file-rules.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { Track } from '../../ui/track.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './imports.module.css'
import { type SheetName, sheetNames } from './names.ts'
import { useImportWords } from './words.ts'

interface Item<T> {
  file: File
  /** The sheet that a CSV is, where its name does not say it. */
  sheet?: SheetName | undefined
  state: 'waiting' | 'sending' | 'done' | 'wrong' | 'stopped'
  part: number
  wrong?: string | undefined
  problem?: Problem | undefined
  answer?: T
}

type Send<T> = (
  item: Pick<Item<T>, 'file' | 'sheet'>,
  watching: { signal: AbortSignal; onProgress: (part: number) => void },
) => Promise<T>

interface Props<T> {
  types: string[]
  maxBytes: number
  limits: string
  label: string
  send: Send<T>
  /** What the service made of the file. */
  result: (answer: T) => ReactNode
  /** What may be mended about a refusal without another file. */
  mend?: (item: Item<T>, again: (sheet: SheetName) => void) => ReactNode
}

/** Files one after another, each with its progress and what became of it. */
function Uploads<T>({ types, maxBytes, limits, label, send, result, mend }: Props<T>) {
  const { upload: w } = useImportWords()
  const { common } = useWords()
  const { locale, list } = useFormat()
  const client = useQueryClient()
  const items = useRef<Item<T>[]>([])
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const [isBusy, setBusy] = useState(false)
  const controller = useRef<AbortController>(undefined)
  const isGone = useRef(false)
  // Whoever leaves the step has given up what was not sent yet.
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
      controller.current?.abort()
    }
  }, [])

  async function work() {
    setBusy(true)
    for (;;) {
      const item = items.current.find(each => each.state === 'waiting')
      if (!item || isGone.current) break
      controller.current = new AbortController()
      Object.assign(item, { state: 'sending', part: 0 })
      draw()
      try {
        const onProgress = (part: number) => {
          item.part = part
          draw()
        }
        item.answer = await send(item, { signal: controller.current.signal, onProgress })
        item.state = 'done'
      } catch (error) {
        if (error instanceof Problem) {
          Object.assign(item, { state: 'wrong', problem: error, wrong: error.of('file') ?? error.of('sheet') })
          item.wrong ??= error.status === 0 ? undefined : error.message
        } else item.state = 'stopped'
      }
      draw()
      if (!isGone.current) await refresh(client, 'migrations/')
    }
    if (!isGone.current) setBusy(false)
  }
  const wrongWith = (file: File) => {
    const fault = faultOf(file, { upload_types: types, max_upload_bytes: maxBytes })
    const said = {
      type: w.wrongType(list(types.map(each => each.toUpperCase()))),
      size: w.tooLarge(sizeInWords(maxBytes, locale)),
      empty: w.empty,
    }
    return fault && said[fault]
  }
  function add(files: readonly File[]) {
    // The same name once more is the same file, corrected.
    const names = new Set(files.map(({ name }) => name))
    const kept = items.current.filter(({ file, state }) => state === 'sending' || !names.has(file.name))
    items.current = [
      ...kept,
      ...files.map((file): Item<T> => {
        const wrong = wrongWith(file)
        return { file, state: wrong === undefined ? 'waiting' : 'wrong', part: 0, wrong }
      }),
    ]
    draw()
    if (!isBusy) void work()
  }
  const again = (item: Item<T>, sheet: SheetName) => {
    Object.assign(item, { sheet, state: 'waiting', wrong: undefined, problem: undefined })
    draw()
    if (!isBusy) void work()
  }
  const remove = (item: Item<T>) => {
    items.current = items.current.filter(each => each !== item)
    draw()
  }
  return (
    <div className={styles.uploads}>
      <DropZone
        className={choice.zone!}
        onDrop={({ items: dropped }) =>
          void Promise.all(dropped.flatMap(each => (each.kind === 'file' ? [each.getFile()] : []))).then(add)
        }
      >
        <FileUp size={22} aria-hidden="true" />
        <div>
          <Text slot="label" className={choice.label!}>
            {w.drop}
          </Text>
          <p className="soft">{limits}</p>
        </div>
        <FileTrigger
          allowsMultiple
          acceptedFileTypes={types.map(each => `.${each}`)}
          onSelect={files => files && add([...files])}
        >
          <Button icon={Upload} aria-label={`${w.choose}: ${label}`}>
            {w.choose}
          </Button>
        </FileTrigger>
      </DropZone>
      {items.current.length > 0 && (
        <ul className={styles.items} aria-label={label}>
          {items.current.map(item => (
            <li key={`${item.file.name} ${item.file.lastModified} ${item.file.size}`}>
              <Mark state={item.state} />
              <div>
                <p className={styles.fileName}>
                  {item.file.name} <span className="soft">{sizeInWords(item.file.size, locale)}</span>
                </p>
                {item.state === 'waiting' && <p className="soft">{w.waiting}</p>}
                {item.state === 'sending' && (
                  <ProgressBar value={item.part * 100} aria-label={item.file.name}>
                    {({ percentage, valueText }) => (
                      <>
                        <p className="soft">{item.part >= 1 ? w.reading : w.sending(valueText ?? '')}</p>
                        <Track percentage={percentage} />
                      </>
                    )}
                  </ProgressBar>
                )}
                {item.state === 'stopped' && <p className="soft">{w.stopped}</p>}
                {item.state === 'done' && <div role="status">{result(item.answer!)}</div>}
                {item.state === 'wrong' && (
                  <div role="alert" className={styles.bad}>
                    {item.wrong ?? <Unanswered />}
                  </div>
                )}
                {item.state === 'wrong' && mend?.(item, sheet => again(item, sheet))}
              </div>
              {item.state === 'sending' ? (
                item.part < 1 && <Button onPress={() => controller.current?.abort()}>{w.stop}</Button>
              ) : (
                <Button look="icon" label={w.remove(item.file.name)} icon={X} onPress={() => remove(item)} />
              )}
            </li>
          ))}
        </ul>
      )}
      {isBusy && <span className="visually-hidden">{common.loading}</span>}
    </div>
  )
}

function Unanswered() {
  const { problems } = useWords()
  return <>{problems.offlineWrite}</>
}

const Mark = ({ state }: { state: Item<unknown>['state'] }) =>
  state === 'done' ? (
    <CircleCheck size={17} className={styles.good} aria-hidden="true" />
  ) : state === 'wrong' ? (
    <CircleAlert size={17} className={styles.bad} aria-hidden="true" />
  ) : (
    <FileText size={17} aria-hidden="true" />
  )

const manifestBytes = 25 * 1024 * 1024

export function ManifestUploads({ id }: { id: number }) {
  const { upload: w } = useImportWords()
  return (
    <Uploads<Answer<'POST /api/migrations/{id}/manifest'>>
      types={['xlsx', 'csv']}
      maxBytes={manifestBytes}
      limits={w.manifestLimits}
      label={w.manifest}
      send={({ file, sheet }, watching) => {
        const body = new FormData()
        if (sheet) body.append('sheet', sheet)
        body.append('file', file)
        return upload('POST /api/migrations/{id}/manifest', { path: { id }, body }, watching)
      }}
      result={() => <p className="soft">{w.manifestTaken}</p>}
      mend={({ problem }, again) =>
        problem?.issues.some(({ type }) => type === 'manifest_sheet_unnamed') && <SheetChoice onChoose={again} />
      }
    />
  )
}

function SheetChoice({ onChoose }: { onChoose: (sheet: SheetName) => void }) {
  const { upload: w, sheets } = useImportWords()
  const [sheet, setSheet] = useState('')
  return (
    <div className={styles.inline}>
      <Select
        label={w.ofSheet}
        options={sheetNames.map(name => ({ id: name, name: sheets[name] }))}
        value={sheet}
        onChange={setSheet}
      />
      <Button onPress={() => sheet && onChoose(sheet as SheetName)}>{w.again}</Button>
    </div>
  )
}

const mostNamed = 20

export function ZipUploads({ id }: { id: number }) {
  const { upload: w } = useImportWords()
  const { locale } = useFormat()
  const { features } = useMe()
  const most = features.max_upload_bytes
  return (
    <Uploads<Answer<'POST /api/migrations/{id}/files'>>
      types={['zip']}
      maxBytes={most}
      limits={w.filesLimits(sizeInWords(most, locale))}
      label={w.files}
      send={({ file }, watching) => {
        const body = new FormData()
        body.append('file', file)
        return upload('POST /api/migrations/{id}/files', { path: { id }, body }, watching)
      }}
      result={({ taken, replaced, refused }) => (
        <>
          <p className="soft">{w.taken(taken, replaced)}</p>
          {refused.length > 0 && (
            <div className={styles.bad}>
              <p>{w.refused(refused.length)}</p>
              <ul>
                {refused.slice(0, mostNamed).map(({ path, message }) => (
                  <li key={path}>
                    <span className={styles.path}>{path}</span>: {message}
                  </li>
                ))}
                {refused.length > mostNamed && <li>{w.more(refused.length - mostNamed)}</li>}
              </ul>
            </div>
          )}
        </>
      )}
    />
  )
}

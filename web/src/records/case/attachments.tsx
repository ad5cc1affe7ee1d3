import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Camera, FileText, Paperclip } from 'lucide-react'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { type Answer, addressOf } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { askAll, refreshRecords } from '../../api/queries.ts'
import { upload } from '../../api/upload.ts'
import { useMe } from '../../features/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { NotRead, Refused } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { isOffered, whyNotOf } from '../allowed.ts'
import { Subject } from '../dialogs/act-dialog.tsx'
import { behalfOf, useActingFor } from '../dialogs/acting-for.tsx'
import { FileChoice, useFileFault } from '../fields/file-choice.tsx'
import { sizeInWords } from '../fields/file-rules.ts'
import { Disposed } from '../retention.tsx'
import type { Case, CaseKind } from './case.ts'
import styles from './parts.module.css'
import { useCaseWords } from './words.ts'

export const attachmentsOf = (kind: CaseKind, id: number) =>
  askAll(`GET /api/${kind}/{id}/attachments`, { path: { id }, query: { sort: 'id:asc' } })

export function Attachments({ of: record }: { of: Case }) {
  const w = useCaseWords()
  const { locale, moment } = useFormat()
  const { kind, id, you } = record
  const { data, error, refetch } = useQuery(attachmentsOf(kind, id))
  const [isOpen, setOpen] = useState(false)
  return (
    <section aria-labelledby="attachments">
      <header className={styles.head}>
        <h2 id="attachments">{w.attachments}</h2>
        {isOffered(you, 'attach') && (
          <span data-print="none">
            <Button look="quiet" icon={Paperclip} whyNot={whyNotOf(you, 'attach')} onPress={() => setOpen(true)}>
              {w.attach}
            </Button>
          </span>
        )}
      </header>
      {error || !data ? (
        <NotRead error={error} onRetry={refetch} lines={2} />
      ) : data.length === 0 ? (
        <p className="soft">{w.noAttachments}</p>
      ) : (
        <ul className={styles.files}>
          {data.map(({ id: attachment_id, file, description, created_at, created_by }) => (
            <li key={attachment_id}>
              <FileText size={15} aria-hidden="true" />
              <div>
                {file.removal ? (
                  <span>
                    {file.name}{' '}
                    {file.removal.disposal ? (
                      <Disposed of={{ ...file.removal.disposal, disposed_on: file.removal.decided_at }} />
                    ) : (
                      <span className="soft">{w.fileRemoved}</span>
                    )}
                  </span>
                ) : (
                  <a
                    href={addressOf(`GET /api/${kind}/{id}/attachments/{attachment_id}/download`, {
                      path: { id, attachment_id },
                    })}
                    download={file.name}
                  >
                    {file.name}
                  </a>
                )}
                {description && <p>{description}</p>}
                <p className="soft">
                  {sizeInWords(file.size, locale)} · {nameOf(created_by)} · {moment(created_at)}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      {isOpen && <AttachDialog of={record} onClose={() => setOpen(false)} />}
    </section>
  )
}

function AttachDialog({ of: { kind, id, number, title, you }, onClose }: { of: Case; onClose: () => void }) {
  const w = useCaseWords()
  const { upload: words, common } = useWords()
  const { features } = useMe()
  const client = useQueryClient()
  const faultWith = useFileFault()
  const [file, setFile] = useState<File>()
  const [description, setDescription] = useState('')
  const [isTried, setTried] = useState(false)
  const acting = useActingFor(behalfOf(you, 'attach'))
  const fault = file && faultWith(file)
  const { mutate, isPending, error, reset } = useMutation<
    Answer<'POST /api/deviations/{id}/attachments'>,
    Problem,
    File
  >({
    mutationFn: chosen => {
      const body = new FormData()
      if (description.trim()) body.append('description', description.trim())
      if (acting.id !== undefined) body.append('on_behalf_of', String(acting.id))
      body.append('file', chosen)
      const { signal } = new AbortController()
      return upload(
        `POST /api/${kind}/{id}/attachments`,
        { path: { id }, body },
        { signal, onProgress: () => undefined },
      )
    },
    onSuccess: ({ file: { name } }) => {
      announce(w.attached(name))
      onClose()
      return refreshRecords(client)
    },
  })
  const isOfFile = error?.status === 413 || error?.status === 415
  const choose = (chosen: File) => {
    reset()
    setFile(chosen)
  }
  const hasCamera = features.upload_types.some(each => each === 'jpg' || each === 'png')
  return (
    <Dialog isOpen onClose={onClose} title={w.attachTitle} about={<Subject of={{ number, title }} />} size="m">
      <Form
        onSend={() => {
          setTried(true)
          if (file && fault === undefined && !isPending) mutate(file)
        }}
      >
        {acting.field}
        <FileChoice
          file={file}
          onChoose={choose}
          isDisabled={isPending}
          wrong={fault ?? error?.of('file') ?? (isOfFile ? error.message : isTried && !file ? words.noFile : undefined)}
        />
        {hasCamera && (
          <FileTrigger
            acceptedFileTypes={['image/*']}
            defaultCamera="environment"
            onSelect={files => {
              const photo = files?.[0]
              if (photo) choose(photo)
            }}
          >
            <Button icon={Camera}>{w.takePhoto}</Button>
          </FileTrigger>
        )}
        <Field
          label={w.fileDescription}
          value={description}
          onChange={setDescription}
          wrong={error?.of('description')}
        />
        {error && error.issues.length === 0 && !isOfFile && <Refused error={error} />}
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="main" isPending={isPending}>
            {w.attach}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}

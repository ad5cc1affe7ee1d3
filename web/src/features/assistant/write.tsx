import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { ask as read, refreshRecords } from '../../api/queries.ts'
import { DepartmentField, hasDepartment } from '../../records/fields/department-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useMe } from '../session/session.ts'
import { AnswerOf, Writing } from './answered.tsx'
import styles from './assistant.module.css'
import { type Citation, useAnswer } from './use-answer.ts'
import { useAssistantWords } from './words.ts'

/** A text, or a draft document with it. */
export function Write({ onSource }: { onSource: (citation: Citation) => void }) {
  const w = useAssistantWords()
  const { id, permissions } = useMe()
  const client = useQueryClient()
  const [prompt, setPrompt] = useDraft(`assistant prompt ${id}`)
  const [kind, setKind] = useState('')
  const [title, setTitle] = useState('')
  const [department, setDepartment] = useState('')
  const [isDraft, setDraft] = useState(false)
  const [made, setMade] = useState<Answer<'POST /api/ai/generate'>>()
  const types = useQuery({
    ...read('GET /api/document-types/', { query: { page_size: 100, sort: 'name:asc' } }),
    enabled: isDraft,
    staleTime: 10 * 60_000,
  })
  const asksDepartment = isDraft && hasDepartment(types.data?.items.find(({ name }) => name === kind))
  const asking = useAnswer('POST /api/ai/generate', answer => {
    setMade(answer)
    if (!answer.document) return
    announce(w.made(answer.document.number))
    void refreshRecords(client)
  })
  const { ask, isPending, error } = asking
  const submit = () => {
    if (!prompt.trim() || kind.trim() === '' || isPending) return
    setMade(undefined)
    ask({
      prompt: prompt.trim(),
      document_type: kind.trim(),
      ...(isDraft && {
        create_document: true,
        ...(title.trim() && { title: title.trim() }),
        ...(asksDepartment && department && { department }),
      }),
    })
  }
  return (
    <div className={styles.column}>
      <Form onSend={submit} className={styles.form}>
        <Field
          label={w.prompt}
          rows={5}
          maxLength={8000}
          isRequired
          value={prompt}
          onChange={setPrompt}
          wrong={error?.of('prompt')}
        />
        {permissions.includes('documents.create') && (
          <Checkbox
            isSelected={isDraft}
            onChange={isOn => {
              setDraft(isOn)
              setKind('')
            }}
            detail={w.asDraftHint}
          >
            {w.asDraft}
          </Checkbox>
        )}
        {isDraft ? (
          <>
            <Select
              label={w.documentType}
              isRequired
              options={(types.data?.items ?? []).map(({ name }) => ({ id: name, name }))}
              value={kind}
              onChange={setKind}
              wrong={error?.of('document_type')}
            />
            {asksDepartment && (
              <DepartmentField value={department} onChange={setDepartment} wrong={error?.of('department')} />
            )}
            <Field
              label={w.draftTitle}
              isRequired
              maxLength={500}
              value={title}
              onChange={setTitle}
              wrong={error?.of('title')}
            />
          </>
        ) : (
          <Field
            label={w.kind}
            hint={w.kindHint}
            isRequired
            maxLength={200}
            value={kind}
            onChange={setKind}
            wrong={error?.of('document_type')}
          />
        )}
        <Button type="submit" look="main" isPending={isPending}>
          {w.write}
        </Button>
      </Form>
      <Writing of={asking} />
      {made && !isPending && (
        <AnswerOf of={made} onSource={onSource}>
          {made.document && (
            <p>
              <Link to="/documents/$id" params={{ id: made.document.id }}>
                {w.openDraft(made.document.number)}
              </Link>
            </p>
          )}
        </AnswerOf>
      )}
    </div>
  )
}

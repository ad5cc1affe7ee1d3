import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { askAll, refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useMe } from '../session/session.ts'
import { PartLink } from './part-link.tsx'
import styles from './set-up.module.css'
import { useSetUpWords } from './words.ts'

export function Types({ types }: { types: Answer<'GET /api/set-up/'>['document_types']['items'] }) {
  const { document_types: w } = useSetUpWords()
  const { permissions } = useMe()
  return (
    <>
      <p className="soft">{w.about}</p>
      <ul className={styles.rows}>
        {types.map(({ id, prefix, name, workflow_template, issue }) => (
          <li key={id}>
            <span>
              <span className={styles.code}>{prefix}</span> {name}
            </span>
            <span className="soft">{workflow_template.name}</span>
            {issue && <p>{issue.detail}</p>}
          </li>
        ))}
      </ul>
      {permissions.includes('document_types.manage') && <NewType />}
      <PartLink name="documentTypes" />
    </>
  )
}

const nothing = { name: '', prefix: '' }

function NewType() {
  const { document_types: w } = useSetUpWords()
  const client = useQueryClient()
  const { data: workflows = [] } = useQuery(askAll('GET /api/workflow-templates/', { query: { is_active: true } }))
  const [given, setGiven] = useState(nothing)
  const [workflow, setWorkflow] = useState('')
  const { mutate, isPending, error } = useMutation<object, Problem>({
    mutationFn: () =>
      call('POST /api/document-types/', {
        body: { ...given, workflow_template_id: Number(workflow) },
      }),
    async onSuccess(answer) {
      // Where a second person approves such changes, the answer is what was proposed.
      announce('prefix' in answer ? w.added(given.name) : w.proposed)
      setGiven(nothing)
      await refresh(client, 'set-up/', 'document-types/', 'configuration-changes/')
    },
  })
  return (
    <Form onSend={() => isPending || mutate()}>
      {error && error.issues.length === 0 && <Refused error={error} />}
      <div className={styles.pair}>
        <Field
          label={w.name}
          isRequired
          autoComplete="off"
          value={given.name}
          onChange={name => setGiven({ ...given, name })}
          wrong={error?.of('name')}
        />
        <Field
          label={w.prefix}
          hint={w.prefixHint}
          isRequired
          autoComplete="off"
          spellCheck="false"
          value={given.prefix}
          onChange={prefix => setGiven({ ...given, prefix: prefix.toUpperCase() })}
          wrong={error?.of('prefix')}
        />
      </div>
      <Select
        label={w.workflow}
        placeholder={w.chooseWorkflow}
        isRequired
        value={workflow}
        onChange={setWorkflow}
        options={workflows.map(({ id, name, description }) => ({ id: String(id), name, detail: description }))}
        wrong={error?.of('workflow_template_id')}
      />
      <Button type="submit" look="main" isPending={isPending}>
        {w.add}
      </Button>
    </Form>
  )
}

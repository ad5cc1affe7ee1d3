import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { ask, refresh } from '../../api/queries.ts'
import { ActDialog } from '../../records/dialogs/act-dialog.tsx'
import { isProposal, useStored } from '../../records/dialogs/change-proposed.tsx'
import type { Names } from '../../records/workflow/definition.ts'
import { differencesInWords } from '../../records/workflow/sentences.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { Field } from '../../ui/field.tsx'
import { Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type Template, useTypesOf, useUnderWay } from './choices.ts'
import type { Check } from './use-check.ts'
import type { Designing } from './use-design.ts'
import { useDesignerWords } from './words.ts'
import styles from './workflow-page.module.css'

interface Props {
  designing: Designing
  template: Template | undefined
  check: Check
  names: Names
  onStored: (id: number) => void
  onProposed: () => void
  onClose: () => void
}

/** What will change, for whom, and why; then it is in force, or proposed where the company asks for a second person. */
export function StoreDialog({ designing, template, check, names, onStored, onProposed, onClose }: Props) {
  const words = useDesignerWords()
  const w = words.storeDialog
  const sentences = useWorkflowSentences()
  const client = useQueryClient()
  const { id: userId, permissions } = useMe()
  const { list } = useFormat()
  const { saidAsProposal } = useStored()
  const { design, forget } = designing
  const [reason, setReason] = useDraft(`workflow reason ${userId} ${template?.id ?? 'new'}`)
  const [isTried, setTried] = useState(false)
  const underWay = useUnderWay(template?.id)
  const types = useTypesOf()(template?.id ?? 0).map(({ name }) => name)
  const { data: settings } = useQuery({
    ...ask('GET /api/settings/', {}),
    enabled: permissions.includes('settings.read'),
  })
  const needsSecond = settings?.configuration_needs_approval === true
  const name = design.name.trim()
  const isWrong = check.faults.length > 0
  const isMissing = template !== undefined && reason.trim() === ''
  const differences = template ? differencesInWords(template.definition, design.definition, names, sentences) : []
  const texts = template
    ? [
        ...(template.name === name ? [] : [`${words.name}: ${name}`]),
        ...(template.description === design.description ? [] : [`${words.description}: ${design.description}`]),
        ...differences,
      ]
    : []
  return (
    <ActDialog<Answer<'PUT /api/workflow-templates/{id}'>>
      title={template ? w.title : w.newTitle}
      about={name || words.untitled}
      size="m"
      revision={template?.revision ?? 0}
      isComplete={() => {
        setTried(true)
        return name !== '' && !isMissing && !isWrong
      }}
      send={() => {
        const body = { name, description: design.description, definition: design.definition }
        return template
          ? call('PUT /api/workflow-templates/{id}', {
              path: { id: template.id },
              body: { ...body, revision: design.revision, change_reason: reason.trim() },
            })
          : call('POST /api/workflow-templates/', { body })
      }}
      onDone={answer => {
        setReason('')
        forget()
        void refresh(client, 'workflow-templates/', 'document-types/', 'configuration-changes/')
        if (isProposal(answer)) {
          saidAsProposal(answer)
          onProposed()
          return
        }
        announce(template ? w.stored(answer.name, answer.version) : w.created(answer.name))
        onStored(answer.id)
      }}
      onClose={onClose}
      submit={needsSecond ? w.propose : w.submit}
    >
      {problem => (
        <>
          {isTried && name === '' && <Refused>{w.nameMissing}</Refused>}
          {isWrong && (
            <Refused>
              {w.wrongFirst} {check.faults[0]?.text}
            </Refused>
          )}
          {problem && problem.issues.length > 0 && <Refused>{problem.beside(['change_reason'])}</Refused>}
          {template ? (
            <section aria-label={w.what}>
              <h3 className={styles.what}>{w.what}</h3>
              <ul className={styles.changes}>
                {(texts.length > 0 ? texts : [sentences.differences.none]).map(each => (
                  <li key={each}>{each}</li>
                ))}
              </ul>
              {underWay !== undefined && <p>{w.keep(underWay)}</p>}
              {types.length > 0 && <p>{w.types(list(types, 'conjunction'))}</p>}
            </section>
          ) : (
            <p>{w.newText}</p>
          )}
          {needsSecond && <p className={styles.note}>{w.second}</p>}
          {template && (
            <Field
              label={words.reason}
              rows={2}
              isRequired
              hint={w.reasonHint}
              value={reason}
              onChange={setReason}
              wrong={problem?.of('change_reason') ?? (isTried && isMissing ? w.reasonMissing : undefined)}
            />
          )}
        </>
      )}
    </ActDialog>
  )
}

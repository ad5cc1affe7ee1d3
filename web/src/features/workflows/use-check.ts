import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import type { Definition } from '../../records/workflow/definition.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { useLater } from '../../ui/use-later.ts'
import { useLanguage } from '../../words/index.ts'
import { type Fault, faultsOf, partsOf } from './places.ts'
import type { Design } from './use-design.ts'
import { useDesignerWords } from './words.ts'

const still_ms = 400

/** What the service says of the design as it stands, asked for once typing has stopped. Nothing is stored by it. */
export function useCheck({ name, definition }: Design, template_id: number | undefined, isWanted: boolean) {
  const { faults: own, untitled, noWho } = useDesignerWords()
  const { rights } = useWorkflowSentences()
  const language = useLanguage()
  // By its text: a design that is undone is the one that was checked before.
  const text = JSON.stringify(definition)
  const later = useLater(text, still_ms)
  const title = useLater(name.trim() || untitled, still_ms)
  const { data, error } = useQuery({
    queryKey: ['POST /api/workflow-templates/preview', later, title, template_id, language],
    queryFn: async ({ signal }) => {
      const asked = JSON.parse(later) as Definition
      const body = { definition: asked, name: title, ...(template_id !== undefined && { template_id }) }
      try {
        const answer = await call('POST /api/workflow-templates/preview', { body }, signal)
        const issues = answer.issues.map(({ path, ...issue }) => ({ ...issue, parts: partsOf(path) }))
        return { text: later, definition: asked, issues, answer }
      } catch (problem) {
        // Faults against the schema, such as an empty label, have their place too.
        if (!(problem instanceof Problem) || problem.status !== 422) throw problem
        const issues = problem.issues.map(({ loc, msg }) => {
          const parts = loc[1] === 'definition' ? loc.slice(2).map(String) : []
          // Nobody chosen yet is wrong in more than one way, as far as its form goes.
          const isWho = parts.includes('who')
          return {
            parts: isWho ? parts.slice(0, parts.indexOf('who') + 1) : parts,
            ...{ detail: isWho ? noWho : msg, code: '', params: {} },
          }
        })
        const each = new Map(issues.map(issue => [`${issue.parts.join('/')} ${issue.detail}`, issue]))
        return { text: later, definition: asked, issues: [...each.values()], answer: undefined }
      }
    },
    enabled: isWanted,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const faults: Fault[] = data ? faultsOf(data.issues, data.definition, { rights, own }) : []
  return {
    error,
    faults,
    answer: data?.answer,
    /** The answer is about what stands there now. */
    isCurrent: data?.text === text,
  }
}
export type Check = ReturnType<typeof useCheck>

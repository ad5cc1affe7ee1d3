import { defineMessages } from '#kernel/message.ts'
import type { Severity } from './rule.ts'

interface ByRules {
  is_understood: boolean
  /** What the text says of signals that it denies. */
  denied: string
}

/** The rationale of a suggestion. The names of the published rules and the words of the description are quoted as they are. */
export const printed = defineMessages({
  severity_by_no_rule: ({ is_understood, denied, severity }: ByRules & { severity: Severity }) =>
    `${is_understood ? '' : `${notUnderstood} `}No published rule matches this text${denied === '' ? '' : `, except for signals that it denies (${denied})`}. The suggestion is ${severity}. ${is_understood ? 'A person must judge.' : 'A text that is not understood is never called minor.'}`,
  severity_by_rules: ({
    is_understood,
    denied,
    score,
    major,
    critical,
    reasons,
  }: ByRules & { score: number; major: number; critical: number; reasons: readonly string[] }) =>
    `${is_understood ? '' : `${notUnderstood} `}Published rules, without AI: ${score} points (major from ${major}, critical from ${critical}). ${reasons.join('; ')}.${denied === '' ? '' : ` Not counted, because the text denies it: ${denied}.`}`,
  severity_rule_fired: ({ rule, points, is_uncertain, decides, quotes }: Fired) =>
    `${rule} (${points}${is_uncertain ? ', uncertain' : ''}${decides ? ', decides' : ''}): ${quotes}`,
})

interface Fired {
  rule: string
  points: string
  is_uncertain: boolean
  decides: boolean
  quotes: string
}

const notUnderstood = 'Not understood: the published rules read only English, so a person must judge.'

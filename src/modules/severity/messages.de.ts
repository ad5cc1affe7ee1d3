import { severity as severityIn } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { printed } from './messages.ts'

const notUnderstood =
  'Nicht verstanden: Die veröffentlichten Regeln lesen nur Englisch, also muss eine Person urteilen.'

defineGerman<typeof printed>({
  severity_by_no_rule: ({ is_understood, denied, severity }) =>
    `${is_understood ? '' : `${notUnderstood} `}Keine veröffentlichte Regel passt auf diesen Text${denied === '' ? '' : `, außer auf Anzeichen, die er verneint (${denied})`}. Vorgeschlagen wird: ${severityIn(severity)}. ${is_understood ? 'Eine Person muss urteilen.' : 'Ein Text, der nicht verstanden wird, gilt nie als gering.'}`,
  severity_by_rules: ({ is_understood, denied, score, major, critical, reasons }) =>
    `${is_understood ? '' : `${notUnderstood} `}Veröffentlichte Regeln, ohne KI: ${score} Punkte (${severityIn('major')} ab ${major}, ${severityIn('critical')} ab ${critical}). ${reasons.join('; ')}.${denied === '' ? '' : ` Nicht gezählt, weil der Text es verneint: ${denied}.`}`,
  severity_rule_fired: ({ rule, points, is_uncertain, decides, quotes }) =>
    `${rule} (${points}${is_uncertain ? ', unsicher' : ''}${decides ? ', entscheidet' : ''}): ${quotes}`,
})

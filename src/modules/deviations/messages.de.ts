import { day, othersOrAdmin, severity as severityIn } from '#kernel/german.ts'
import { labelOf } from '#kernel/labels.de.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

/** With its full stop, which a model may have left out. */
const ended = (text: string) => String(text).replace(/\.?$/, '.')

defineGerman<typeof messages & typeof printed>({
  deviation_field_permission_required: ({ field, permissions }) =>
    `Sie brauchen die Berechtigung ${permissions.join(' oder ')}, um ${field} zu ändern.`,
  deviation_closer_is_involved: ({ involvement, others }) =>
    `${involvement}, deshalb muss eine andere Person abschließen: ${othersOrAdmin(others, 'deviations.close')}.`,
  deviation_reporter_cannot_cancel: ({ number, severity }) =>
    `Sie haben ${number} gemeldet, und die Abweichung ist ${severityIn(severity)}, deshalb muss eine andere Person sie abbrechen.`,
  deviation_severity_fixed_by_cancelling: ({ number, severity }) =>
    `Die Unterschrift eines Abbruchs hängt vom Schweregrad ab, deshalb bleibt ${number} ${severityIn(severity)}. Ändern Sie zuerst den Schweregrad, mit seinem Grund.`,
  deviation_severity_fixed: ({ number, severity }) =>
    `${number} wartet auf den Abschluss, deshalb bleibt der Schweregrad ${severityIn(severity)}. Geben Sie die Abweichung zurück (status under_investigation), um ihn zu ändern.`,

  deviation_detected_after_report: ({ reported_at }) =>
    `Wählen Sie einen Zeitpunkt bis zur Meldung, ${day(reported_at)}.`,
  deviation_occurred_after_detection: 'Wählen Sie einen Zeitpunkt bis zur Entdeckung.',
  deviation_late_reason_required: ({ hours }) =>
    `Geben Sie an, warum sie mehr als ${hours} Stunden nach der Entdeckung gemeldet wird.`,
  deviation_five_whys_required: 'Geben Sie 1 bis 7 Fragen (why) ein, jede mit ihrer Antwort (because).',
  deviation_fishbone_cause_required: 'Geben Sie mindestens eine Ursache ein.',
  deviation_root_cause_steps_not_allowed:
    'Nur five whys und fishbone haben Schritte. Beschreiben Sie eine andere Methode in der Zusammenfassung.',
  deviation_severity_not_suggested: ({ suggested }) =>
    `Die Regeln schlagen ${severityIn(suggested)} vor. Wählen Sie das, oder weichen Sie mit einem Grund davon ab.`,
  deviation_severity_is_suggested: ({ severity }) =>
    `Auch die Regeln schlagen ${severityIn(severity)} vor. Nehmen Sie den Vorschlag an.`,
  deviation_override_reason_required: 'Geben Sie an, warum Sie vom Vorschlag abweichen.',
  deviation_form_fixed: ({ number, status }) =>
    `${number} ist ${labelOf(status)}. Das Formular kann nur gegen ein anderes getauscht werden, solange die Abweichung offen ist.`,
  deviation_form_template_required: 'Wählen Sie die Formularvorlage, zu der diese Daten gehören.',

  deviation_description_too_long_for_model: 'Die Beschreibung ist zu lang für das Sprachmodell.',

  deviation_condition_assigned: 'Weisen Sie sie zuerst jemandem zu',
  deviation_condition_root_cause: 'Geben Sie zuerst die Grundursache ein, weil sie schwerwiegend oder kritisch ist',
  deviation_condition_impact_assessed:
    'Geben Sie zuerst die Bewertung der Auswirkungen ein, weil sie schwerwiegend oder kritisch ist',
  deviation_condition_form_complete: 'Füllen Sie zuerst das Formular aus, mit allen nötigen Dateien',
  deviation_condition_capa_decided:
    'Verknüpfen Sie eine CAPA, die weder abgelehnt noch abgebrochen ist, oder geben Sie an, warum es keine gibt, weil sie kritisch ist',
  deviation_condition_independent:
    'Eine andere Person muss sie abschließen, die sie weder gemeldet, untersucht noch neu zugewiesen hat und der sie nie zugewiesen war',
  deviation_condition_quality_unit: 'Admins dürfen in dieser Firma nicht freigeben',
  deviation_condition_not_reporter:
    'Wer sie gemeldet hat, kann sie nicht abbrechen, weil sie schwerwiegend oder kritisch ist',

  deviation_model_failed: ({ why }) => `Das Sprachmodell hat nicht geantwortet. ${why}`,
  deviation_suggested_without_model: ({ why, rules }) => `${ended(why)} ${rules}`,
  deviation_model_undecided: ({ model, confidence, rules }) =>
    `Das Sprachmodell ${model} ist unentschieden (Sicherheit ${confidence}). ${rules}`,
  deviation_model_milder: ({ model, severity, by_rules, rationale, rules }) =>
    `Das Sprachmodell ${model} sagt ${severityIn(severity)}, die veröffentlichten Regeln sagen ${severityIn(by_rules)}: Vorgeschlagen wird der höhere Schweregrad. Das Modell: ${ended(rationale)} ${rules}`,
  deviation_suggested_by_model: ({ model, rationale, by_rules }) =>
    `Vom Sprachmodell ${model}, das irren kann: ${rationale} Die veröffentlichten Regeln, ohne KI, sagen ${severityIn(by_rules)}.`,
})

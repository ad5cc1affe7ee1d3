import { labelOf } from '#kernel/labels.ts'
import { defineMessages } from '#kernel/message.ts'
import { orNobody } from '#modules/casework'

export const messages = defineMessages({
  deviation_field_permission_required: ({ field, permissions }: { field: string; permissions: readonly string[] }) =>
    `You need the permission ${permissions.join(' or ')} to change ${field}.`,
  /** `involvement`: what the person did; `others`: the people who can close it. */
  deviation_closer_is_involved: ({ involvement, others }: { involvement: string; others: readonly string[] }) =>
    `${involvement}, so another person must close it: ${orNobody(others, 'deviations.close')}.`,
  deviation_reporter_cannot_cancel: ({ number, severity }: { number: string; severity: string }) =>
    `You reported ${number}, and it is ${severity}, so another person must cancel it.`,
  deviation_severity_fixed_by_cancelling: ({ number, severity }: { number: string; severity: string }) =>
    `The signature of a cancellation depends on the severity, so ${number} stays ${severity}. Change the severity first, with its reason.`,
  deviation_severity_fixed: ({ number, severity }: { number: string; severity: string }) =>
    `${number} awaits its closure, so its severity stays ${severity}. Send it back (status under_investigation) to change it.`,

  deviation_detected_after_report: ({ reported_at }: { reported_at: string }) =>
    `Choose a time up to the report, which was made at ${reported_at}.`,
  deviation_occurred_after_detection: 'Choose a time up to the detection.',
  deviation_late_reason_required: ({ hours }: { hours: number }) =>
    `Enter why it is reported more than ${hours} hours after its detection.`,
  deviation_five_whys_required: 'Enter 1 to 7 questions (why), each with its answer (because).',
  deviation_fishbone_cause_required: 'Enter at least one cause.',
  deviation_root_cause_steps_not_allowed:
    'Only five whys and fishbone have steps. Describe another method in the summary.',
  deviation_severity_not_suggested: ({ suggested }: { suggested: string }) =>
    `The rules suggest ${suggested}. Choose it, or override the suggestion with a reason.`,
  deviation_severity_is_suggested: ({ severity }: { severity: string }) =>
    `The rules also suggest ${severity}. Accept the suggestion.`,
  deviation_override_reason_required: 'Enter why you override the suggestion.',
  deviation_form_fixed: ({ number, status }: { number: string; status: string }) =>
    `${number} is ${labelOf(status)}. Its form can be changed to another only while it is open.`,
  deviation_form_template_required: 'Choose the form template that this data belongs to.',

  deviation_description_too_long_for_model: 'The description is too long for the language model.',
})

/** The remedies of the conditions of transitions, without the end of a sentence. */
export const printed = defineMessages({
  deviation_condition_assigned: 'Assign it to someone first',
  deviation_condition_root_cause: 'Enter the root cause first, because it is major or critical',
  deviation_condition_impact_assessed: 'Enter the impact assessment first, because it is major or critical',
  deviation_condition_form_complete: 'Complete its form first, with all required files',
  deviation_condition_capa_decided:
    'Link a CAPA that is neither rejected nor cancelled, or enter the reason for none, because it is critical',
  deviation_condition_independent:
    'Another person must close it, who neither reported, investigated nor reassigned it and was never its assignee',
  deviation_condition_quality_unit: 'Admins may not approve in this company',
  deviation_condition_not_reporter: 'The reporter cannot cancel it, because it is major or critical',

  deviation_model_failed: ({ why }: { why: string }) => `The language model gave no answer. ${why}`,
  /** `rules`: the rationale of the published rules, here and below. */
  deviation_suggested_without_model: ({ why, rules }: { why: string; rules: string }) => `${ended(why)} ${rules}`,
  deviation_model_undecided: ({ model, confidence, rules }: { model: string; confidence: number; rules: string }) =>
    `The language model ${model} is undecided (confidence ${confidence}). ${rules}`,
  deviation_model_milder: ({
    model,
    severity,
    by_rules,
    rationale,
    rules,
  }: OfModel & { severity: string; rules: string }) =>
    `The language model ${model} says ${severity}, the published rules say ${by_rules}: the graver severity is suggested. The model: ${ended(rationale)} ${rules}`,
  deviation_suggested_by_model: ({ model, rationale, by_rules }: OfModel) =>
    `By the language model ${model}, which may be wrong: ${rationale} The published rules, without AI, say ${by_rules}.`,
})

/** `rationale`: in the words of the model. */
interface OfModel {
  model: string
  rationale: string
  by_rules: string
}

/** With its full stop, which a model may have left out. */
const ended = (text: string) => String(text).replace(/\.?$/, '.')

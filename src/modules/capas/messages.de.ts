import { day, othersOrAdmin } from '#kernel/german.ts'
import { labelOf } from '#kernel/labels.de.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

const priorities: Readonly<Record<string, string>> = {
  low: 'niedrig',
  medium: 'mittel',
  high: 'hoch',
  critical: 'kritisch',
}
const priorityIn = (priority: string) => priorities[priority] ?? priority

defineGerman<typeof messages & typeof printed>({
  capa_not_draft: ({ number, status }) =>
    `${number} ist ${labelOf(status)}. Nur ein Entwurf kann freigegeben oder abgelehnt werden.`,
  capa_author_cannot_approve: ({ number }) =>
    `Sie haben ${number} verfasst, deshalb muss eine andere Person freigeben.`,
  capa_action_assignee_cannot_verify: ({ number }) =>
    `Sie haben eine erledigte Maßnahme von ${number} durchgeführt, oder sie war Ihnen zugewiesen, deshalb muss eine andere Person die Maßnahmen verifizieren.`,
  capa_closer_is_involved: ({ involvement, others }) =>
    `${involvement}, deshalb muss eine andere Person abschließen: ${othersOrAdmin(others, 'capa.close')}.`,
  capa_plan_approver_is_involved: ({ involvement, others }) =>
    `${involvement}, deshalb muss eine andere Person den Plan freigeben oder die Priorität senken: ${othersOrAdmin(others, 'capa.approve_draft')}.`,
  capa_plan_not_approved: ({ number, priority }) =>
    `Die Priorität von ${number} ist ${priorityIn(priority)}, deshalb können die Maßnahmen beginnen, sobald der Plan freigegeben ist.`,
  capa_plan_awaits_no_approval: ({ number, status, priority }) =>
    `${number} ist ${labelOf(status)}, mit der Priorität ${priorityIn(priority)}. Ein Plan wird freigegeben, solange die CAPA offen oder in Arbeit ist, einmal, und wenn die Priorität hoch oder kritisch ist.`,
  capa_awaits_effectiveness_review: ({ number }) =>
    `${number} wartet auf die Wirksamkeitsprüfung und kann nur gelesen werden. Es kann wieder geändert werden, wenn sie „nicht wirksam“ ergibt.`,

  capa_actions_planned_by_owner: ({ number, permission }) =>
    `Nur wem ${number} zugewiesen ist und Personen mit der Berechtigung ${permission} können die Maßnahmen planen.`,
  capa_action_of_another: ({ action_id, permission }) =>
    `Nur wem Maßnahme ${action_id} zugewiesen ist und Personen mit der Berechtigung ${permission} können darüber berichten.`,
  capa_action_own_due_date: ({ action_id, permission }) =>
    `Maßnahme ${action_id} ist Ihnen zugewiesen, deshalb muss eine andere Person die Frist auf einen späteren Tag legen: wem die CAPA zugewiesen ist, oder jemand mit der Berechtigung ${permission}.`,
  capa_draft_not_approved: ({ number }) =>
    `${number} ist ein Entwurf. Die Maßnahmen können beginnen, sobald er freigegeben ist.`,
  capa_action_listed_twice: ({ action_id }) =>
    `Maßnahme ${action_id} ist zweimal aufgeführt. Führen Sie sie einmal auf.`,
  capa_action_begun: ({ action_id, status }) =>
    `Maßnahme ${action_id} ist ${labelOf(status)}, und nur eine offene kann entfernt werden. Brechen Sie sie stattdessen ab.`,
  capa_actions_too_many: ({ number, maximum }) =>
    `${number} hat ${maximum} Maßnahmen, mehr sind nicht möglich. Planen Sie weitere in einer anderen CAPA.`,
  capa_actions_not_listed: ({ action_ids }) =>
    `Führen Sie jede Maßnahme der CAPA auf. Es fehlen: ${action_ids.join(', ')}. Brechen Sie Maßnahmen ab, die nicht mehr nötig sind.`,
  capa_action_due_after_capa: ({ due_date }) => `Wählen Sie einen Tag bis zur Frist der CAPA, dem ${day(due_date)}.`,
  capa_action_description_required: 'Geben Sie eine Beschreibung ein.',
  capa_action_assignee_required: 'Wählen Sie, wem sie zugewiesen wird.',
  capa_action_begins_open: 'Eine neue Maßnahme ist offen. Ändern Sie ihren Status später.',
  capa_action_evidence_required: 'Geben Sie den Nachweis ein, dass die Maßnahme erledigt ist.',
  capa_action_finished: ({ action_id, status }) =>
    `Maßnahme ${action_id} ist ${labelOf(status)}. Setzen Sie sie auf open oder in_progress, um sie zu ändern.`,

  capa_reviewer_is_owner:
    'Wem die CAPA zugewiesen ist oder war, kann ihre Wirksamkeit nicht prüfen. Wählen Sie zuerst einen anderen Prüfer.',
  capa_reviewer_is_admin: ({ username }) =>
    `Admins dürfen in dieser Firma nicht freigeben, und ${username} ist einer. Wählen Sie einen anderen Prüfer.`,
  capa_review_already_planned: ({ number }) =>
    `${number} hat schon eine geplante Wirksamkeitsprüfung. Ändern Sie diese, oder schließen Sie sie zuerst ab.`,
  capa_review_criteria_fixed: ({ number, status }) =>
    `${number} ist ${labelOf(status)}. Die Kriterien der Prüfung können nicht mehr geändert werden.`,
  capa_not_ready_for_review: ({ number, status }) =>
    `${number} ist ${labelOf(status)}. Die Wirksamkeit kann geprüft werden, sobald die Maßnahmen verifiziert sind.`,
  capa_review_by_reviewer_only: 'Nur der zugewiesene Prüfer kann das Ergebnis festhalten.',
  capa_review_early_reason_required: ({ due_date }) =>
    `Die Prüfung ist für den ${day(due_date)} geplant. Geben Sie an, warum Sie sie vor diesem Tag abschließen.`,
  capa_review_earlier_reason_required: ({ due_date }) =>
    `Die Prüfung ist für den ${day(due_date)} geplant. Geben Sie an, warum Sie sie auf einen früheren Tag legen.`,
  capa_review_own_due_date: ({ permission }) =>
    `Sie sind der Prüfer, deshalb muss eine andere Person mit der Berechtigung ${permission} die Frist auf einen späteren Tag legen.`,
  capa_review_conclusion_required: 'Geben Sie ein Ergebnis in Worten ein.',
  capa_review_result_required: 'Geben Sie dies zusammen mit dem Ergebnis ein.',
  capa_follow_up_required: 'Geben Sie an, was folgt, oder wählen Sie eine folgende CAPA.',
  capa_follow_up_is_itself: 'Eine CAPA kann nicht auf sich selbst folgen. Wählen Sie eine andere CAPA.',
  capa_review_completed: ({ review_number, number, completed_at }) =>
    `Wirksamkeitsprüfung ${review_number} von ${number} wurde ${day(completed_at)} abgeschlossen und kann nur gelesen werden.`,

  capa_condition_approver_is_another:
    'Der Autor kann den Entwurf nicht freigeben, außer als Admin in einer Firma, in der Admins freigeben dürfen',
  capa_condition_is_assigned: 'Weisen Sie sie zuerst jemandem zu',
  capa_condition_has_root_cause: 'Geben Sie zuerst die Grundursache ein',
  capa_condition_has_action: 'Planen Sie zuerst eine Maßnahme',
  capa_condition_plan_is_approved:
    'Lassen Sie zuerst den Plan freigeben, weil die Priorität hoch oder kritisch ist (POST /api/capa/{id}/approve-plan)',
  capa_condition_actions_are_done:
    'Erledigen Sie zuerst jede Maßnahme oder brechen Sie sie ab, und erledigen Sie mindestens eine',
  capa_condition_adverse_effects_are_assessed: 'Bewerten Sie zuerst die unerwünschten Auswirkungen',
  capa_condition_verifier_owns_none:
    'Niemand verifiziert die Maßnahmen, der eine erledigte durchgeführt hat oder dem eine je zugewiesen war',
  capa_condition_was_found_effective: 'Schließen Sie zuerst eine Wirksamkeitsprüfung mit dem Ergebnis „wirksam“ ab',
  capa_condition_was_found_not_effective:
    'Schließen Sie zuerst eine Wirksamkeitsprüfung mit dem Ergebnis „nicht wirksam“ ab',
  capa_condition_independent:
    'Niemand schließt sie ab, der sie angelegt oder neu zugewiesen, ihre Grundursache geschrieben oder eine Maßnahme erledigt hat, oder dem sie oder eine Maßnahme je zugewiesen war',
  capa_condition_quality_unit: 'Admins dürfen in dieser Firma nicht freigeben',
})

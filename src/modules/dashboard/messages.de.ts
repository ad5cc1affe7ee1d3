import { day } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  statistics_window_too_early: ({ first_day }) =>
    `Der Zeitraum beginnt vor dem ${day(first_day)}. Wählen Sie einen späteren Tag.`,
  statistics_window_reversed: ({ date_to }) =>
    `Wählen Sie einen Tag bis zum letzten des Zeitraums, dem ${day(date_to)}.`,
  statistics_window_too_long: ({ maximum, date_to }) =>
    `Wählen Sie einen Tag höchstens ${maximum} Tage vor dem ${day(date_to)}.`,
  statistics_key_missing: ({ figure }) => `${figure} hat mehrere Zeilen. Nennen Sie eine davon mit ihrem key.`,

  to_do_complete_training: 'Schließen Sie die Schulung ab, und unterschreiben Sie',
  to_do_carry_out_action: 'Führen Sie die Maßnahme durch, und setzen Sie sie mit ihrem Nachweis auf erledigt',
  to_do_review_effectiveness: 'Führen Sie die Wirksamkeitsprüfung durch',
  to_do_await_actions:
    'Warten Sie, bis die Maßnahmen verifiziert sind, und führen Sie dann die Wirksamkeitsprüfung durch',
  to_do_decide: 'Geben Sie frei oder lehnen Sie ab',
  to_do_review_document:
    'Entscheiden Sie, dass es überarbeitet werden muss, oder lassen Sie eine andere Person bestätigen, dass es bleibt, wie es ist',
  to_do_return_copy: 'Geben Sie die Kopie zurück, und bestätigen Sie die Rückgabe',
  to_do_name_owner: 'Nennen Sie einen anderen Eigner',
  to_do_begin_investigation: 'Beginnen Sie die Untersuchung (status under_investigation)',
  to_do_investigate:
    'Untersuchen Sie die Abweichung, und reichen Sie sie bei der Qualitätseinheit ein (status pending_approval)',
  to_do_await_closure: 'Warten Sie, bis die Qualitätseinheit abschließt',
  to_do_await_approval: 'Warten Sie auf die Freigabe',
  to_do_plan_capa: 'Geben Sie die Grundursache ein, planen Sie die Maßnahmen, und beginnen Sie (status in_progress)',
  to_do_finish_capa:
    'Lassen Sie die Maßnahmen erledigen, bewerten Sie unerwünschte Auswirkungen, und lassen Sie verifizieren',
  to_do_await_effectiveness: 'Warten Sie auf Wirksamkeitsprüfung und Abschluss',
  to_do_close_or_send_back: 'Schließen Sie ab, oder geben Sie zurück (status closed oder under_investigation)',
  to_do_send_back: 'Geben Sie zurück, wenn etwas fehlt (status under_investigation)',
  to_do_reconcile_copy: 'Prüfen Sie, ob sie zurückgegeben wurde, und gleichen Sie sie ab',
  to_do_approve_draft: 'Geben Sie den Entwurf frei, oder lehnen Sie ihn ab',
  to_do_close_capa: 'Schließen Sie ab (status closed)',
  to_do_approve_plan: 'Geben Sie den Plan frei',
  to_do_have_reviewed:
    'Lassen Sie eine Person mit der Berechtigung documents.periodic_review die Überprüfung durchführen',
  to_do_assign: 'Weisen Sie es jemandem zu',
  to_do_choose_reviewer: 'Wählen Sie einen anderen Prüfer',
  to_do_assign_action: 'Weisen Sie die Maßnahme jemandem zu',
  to_do_name_holder: 'Nennen Sie jemand anderen, der die Kopie hat, oder gleichen Sie sie ab',
  to_do_name_approvers: 'Nennen Sie Personen, die freigeben können',
  to_do_have_approvers_named: 'Lassen Sie eine Person, die nicht freigegeben hat, andere Freigebende nennen',
  to_do_have_assigned: ({ permission }) =>
    `Lassen Sie es einer anderen Person zuweisen, weil Ihnen die Berechtigung ${permission} fehlt`,
})

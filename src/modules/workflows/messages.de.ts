import { and, day, or } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { Moment, messages, NamedPeople, NextSteps, Part, printed } from './messages.ts'

/** The built-in steps by their German names; a tenant's own step is its own name. */
const steps: Readonly<Record<string, string>> = { approve: 'Freigabe', approval: 'Freigabe', review: 'Prüfung' }
const stepIn = (step: string) => steps[step] ?? step
/** `im Schritt Freigabe` */
const inStep = (step: string) => `im Schritt ${stepIn(step)}`
const ofStep = (step: string) => `des Schritts ${stepIn(step)}`

/** The words that a name has where its person or group is gone. */
const named = (name: string) =>
  String(name)
    .replace(/ \(deactivated\)$/, ' (deaktiviert)')
    .replace(/ \(deleted\)$/, ' (gelöscht)')
    .replace(/^user (\d+)$/, 'Benutzer $1')
    .replace(/^group (\d+)$/, 'Gruppe $1')

const partOfYou = (part: Exclude<Part, 'author'>) => {
  if (part === 'editor') return 'die Angaben dieser Version geändert haben'
  return part === 'submitter' ? 'diese Version eingereicht haben' : 'die Freigaben dieser Version gewählt haben'
}
const partOfPerson = (part: Exclude<Part, 'author'>) => {
  if (part === 'editor') return 'hat die Angaben dieser Version geändert'
  return part === 'submitter' ? 'hat diese Version eingereicht' : 'hat die Freigaben dieser Version gewählt'
}

function withNextSteps(sentence: string, { state, approved, step, approvers, transitions }: NextSteps): string {
  const sentences = [sentence]
  if (step !== null) sentences.push(`Der Schritt ${stepIn(step)} wartet auf ${approvers}.`)
  if (approved !== null) sentences.push(`Sie dürfen Ihre Freigabe ${inStep(approved)} zurücknehmen.`)
  if (transitions !== null && (transitions.length > 0 || approved === null))
    sentences.push(
      transitions.length > 0
        ? `Von ${state} aus dürfen Sie: ${transitions.join(', ')}.`
        : `Von ${state} aus dürfen Sie keinen Übergang ausführen.`,
    )
  return sentences.join(' ')
}

const decidedBy = ({ approvers, is_orphaned }: { approvers: string; is_orphaned: boolean }, each = '') =>
  `Es entscheidet: ${approvers}${each}.${is_orphaned ? ' Davon sind zu wenige übrig: Bitten Sie jemanden mit der Berechtigung documents.configure_approval, andere Freigebende zu nennen.' : ''}`

const kinds: Readonly<Record<string, string>> = {
  user: 'eine Person',
  group: 'eine Gruppe',
  role: 'eine Rolle',
  permission: 'eine Berechtigung',
}
const groupsOf = (names: readonly string[]) => names.map(named).join(', ')
const ofKind = ({ kind, names }: NamedPeople) =>
  kind === 'group' ? groupsOf(names) : `${kind === 'role' ? 'der Rolle' : 'der Berechtigung'} ${names.join(', ')}`
const peopleIn = (people: NamedPeople) => {
  if (people.kind === 'user') return and(people.names.map(named))
  return people.kind === 'group' ? `die Mitglieder von ${ofKind(people)}` : `die Personen mit ${ofKind(people)}`
}
const personOrPeople = (count: number) => (count === 1 ? 'Person' : 'Personen')
const countedIn = (people: NamedPeople & { count: number }) => {
  const { kind, names, count } = people
  const all = names.map(named)
  if (kind === 'user') return count === names.length ? and(all) : `${count} von ${and(all)}`
  if (kind === 'group') return `${count} ${count === 1 ? 'Mitglied' : 'Mitglieder'} von ${ofKind(people)}`
  return `${count} ${personOrPeople(count)} mit ${ofKind(people)}`
}
const missingIn = (people: NamedPeople & { missing: number; given: number }) => {
  const { kind, names, missing, given } = people
  const more = given > 0 ? (missing === 1 ? ' weitere' : ' weiteren') : ''
  const all = names.map(named)
  if (kind === 'user') return missing === names.length ? and(all) : `${missing}${more} von ${and(all)}`
  return `${missing}${more} ${personOrPeople(missing)} ${kind === 'group' ? 'von' : 'mit'} ${ofKind(people)}`
}
const days = (count: number) => (count === 1 ? '1 Tag' : `${count} Tagen`)

const moments: Readonly<Record<Moment, string>> = {
  on_approval: 'wenn die Freigabe vollständig ist',
  on_effective_date: 'am Tag der Gültigkeit',
  on_training_complete: 'wenn die Schulung abgeschlossen ist',
  on_supersede: 'wenn eine neuere Version gültig wird',
}

defineGerman<typeof messages & typeof printed>({
  workflow_template_name_taken: ({ name }) =>
    `Es gibt schon einen Workflow namens ${name}. Wählen Sie einen anderen Namen.`,
  workflow_template_built_in: ({ name }) =>
    `${name} ist eingebaut und kann nicht geändert werden. Legen Sie aus der Definition eine eigene Vorlage an.`,
  workflow_template_inactive: ({ name }) => `Der Workflow ${name} ist nicht aktiv. Wählen Sie einen anderen.`,
  workflow_way_without_approval: ({ template, type }) =>
    `${template} führt auf einem Weg ohne Freigabe zur Gültigkeit, und Dokumente der Art ${type} sind gelenkt. Fügen Sie dem Workflow eine Freigabe hinzu.`,
  workflow_minimum_people: ({ template, type, needed, given }) =>
    `Dokumente der Art ${type} brauchen Freigaben von ${needed} verschiedenen Personen, und ${template} hat einen Weg zur Gültigkeit mit ${given}. Fügen Sie dem Workflow Freigaben hinzu.`,
  workflow_minimum_author: ({ template, type, needed }) =>
    `Dokumente der Art ${type} brauchen Freigaben von ${needed} verschiedenen Personen außer dem Autor, und nach ${template} darf der Autor freigeben. Schließen Sie den Autor aus.`,
  workflow_minimum_signature: ({ template, type }) =>
    `Dokumente der Art ${type} brauchen eine unterschriebene Freigabe, und ${template} hat einen Weg zur Gültigkeit ohne eine. Fügen Sie dem Workflow eine Unterschrift hinzu.`,
  document_type_name_taken: ({ name }) =>
    `Es gibt schon eine Art von Dokumenten namens ${name}. Wählen Sie einen anderen Namen.`,
  document_type_prefix_taken: ({ prefix, name }) =>
    `Die Nummern von ${name} beginnen schon mit ${prefix}. Wählen Sie ein anderes Präfix.`,
  document_type_training_required: 'Wählen Sie die Schulung, die Freigebende abgeschlossen haben müssen (before_sign).',
  document_type_training_in_use: ({ number, name }) =>
    `${number} hat die Schulungsschranke before_sign, deshalb muss ${name} mindestens ein Schulungsprogramm nennen.`,
  document_type_program_archived: ({ number }) => `${number} ist archiviert. Wählen Sie ein aktives Schulungsprogramm.`,
  document_type_effect_workflow: ({ under_way, workflow }) =>
    `${under_way === 0 ? 'Keine Version ist in Arbeit.' : under_way === 1 ? 'Eine Version in Arbeit behält den Workflow, mit dem sie begann.' : `${under_way} Versionen in Arbeit behalten den Workflow, mit dem sie begannen.`} Neue Dokumente und neue Versionen folgen ${workflow}.`,
  document_type_effect_gate: ({ concerned, own }) =>
    `Die Schulungsbedingung gilt sofort für ${concerned === 1 ? 'ein Dokument' : `${concerned} Dokumente`}.${own === 0 ? '' : own === 1 ? ' Ein Dokument behält seine eigene Bedingung.' : ` ${own} Dokumente behalten ihre eigene Bedingung.`}`,
  document_type_effect_programs: ({ under_way }) =>
    `Die verlangte Schulung gilt sofort, auch für die Entscheidungen, die ${under_way === 1 ? 'eine Version in Arbeit noch braucht' : `${under_way} Versionen in Arbeit noch brauchen`}.`,
  document_type_effect_review: ({ effective }) =>
    `${effective === 1 ? 'Ein gültiges Dokument behält sein nächstes Prüfdatum' : `${effective} gültige Dokumente behalten ihr nächstes Prüfdatum`}. Die neue Frist zählt ab der nächsten Freigabe oder Überprüfung.`,
  document_type_effect_numbers: ({ total, next_number }) =>
    `${total === 1 ? 'Ein Dokument behält seine Nummer' : `${total} Dokumente behalten ihre Nummern`}. Das nächste ist ${next_number}.`,
  document_type_effect_retention: ({ years, total }) =>
    years === null
      ? `${total === 1 ? 'Alle Versionen eines Dokuments werden' : `Alle Versionen von ${total} Dokumenten werden`} auf Dauer aufbewahrt, und vorgeschlagene Vernichtungen davon können nicht mehr ausgeführt werden.`
      : `${total === 1 ? 'Ein Dokument' : `${total} Dokumente`}: Jede Version kann ${years === 1 ? 'ein Jahr' : `${years} Jahre`} nach ihrer Ablösung oder nachdem ihr Dokument ungültig wurde vernichtet werden. Das gilt auch für Versionen, die schon früher geendet haben.`,
  retention_shortened_without_reason:
    'Geben Sie einen Grund an: Mit einer kürzeren Aufbewahrungsfrist werden Datensätze früher zur Vernichtung fällig.',
  document_type_effect_inactive: ({ total }) =>
    `${total === 1 ? 'Ein Dokument bleibt, wie es ist' : `${total} Dokumente bleiben, wie sie sind`}, und niemand kann ein neues Dokument oder eine neue Version dieser Art hochladen.`,
  document_type_effect_name: ({ total }) =>
    `${total === 1 ? 'Ein Dokument zeigt' : `${total} Dokumente zeigen`} den neuen Namen der Art. Die Nummern bleiben, wie sie sind.`,

  approver_already_approved: ({ step }) =>
    `Sie haben ${inStep(step)} schon freigegeben. Um anders zu entscheiden, nehmen Sie Ihre Freigabe zurück.`,
  approver_is_author: ({ step, approvers, is_orphaned }) =>
    `Sie sind der Autor und können deshalb ${inStep(step)} nicht entscheiden. ${decidedBy({ approvers, is_orphaned })}`,
  approver_took_part: ({ step, part, approvers, is_orphaned }) =>
    `Sie können ${inStep(step)} nicht entscheiden, weil Sie ${partOfYou(part)}. ${decidedBy({ approvers, is_orphaned })}`,
  approver_approved_excluded_step: ({ step, excluded }) =>
    `Sie haben im Schritt ${or(excluded.map(stepIn))} freigegeben, deshalb muss ${inStep(step)} eine andere Person entscheiden.`,
  approver_delegated: ({ step, person }) =>
    `Sie haben Ihre Entscheidung ${inStep(step)} an ${person} übertragen. Beenden Sie die Übertragung, um selbst zu entscheiden.`,
  approver_represented: ({ step, person }) =>
    `${person} hat ${inStep(step)} als Ihre Vertretung entschieden. ${person} kann die Freigabe zurücknehmen.`,
  approver_not_named: ({ step, permission, approvers, is_orphaned }) =>
    `Keine Regel ${ofStep(step)} nennt Sie. ${decidedBy({ approvers, is_orphaned }, permission === null ? '' : `, jeweils mit der Berechtigung ${permission}`)}`,
  approver_permission_required: ({ step, permission }) =>
    `Sie brauchen die Berechtigung ${permission}, um ${inStep(step)} zu entscheiden.`,
  approver_turn_not_started: ({ step, awaited }) =>
    `Sie sind ${inStep(step)} noch nicht an der Reihe. Er wartet auf ${or(awaited)}.`,
  approver_rules_met: ({ step, awaited }) =>
    `Die Regeln, die Sie nennen, haben ihre Freigaben schon. Der Schritt ${stepIn(step)} wartet auf ${or(awaited)}.`,
  approver_needed_later: ({ step }) =>
    `Eine spätere Freigabe ${ofStep(step)} können nur Sie geben, deshalb muss zuerst eine andere Person freigeben.`,

  workflow_nothing_to_approve: next => withNextSteps(`Im Status ${next.state} wartet nichts auf eine Freigabe.`, next),
  workflow_submission_refused: ({ reason, transition }) =>
    `${reason} Um einzureichen, ohne freizugeben, verwenden Sie den Übergang ${transition}.`,
  workflow_comment_required: 'Geben Sie einen Kommentar ein.',
  approval_not_given: next =>
    withNextSteps(
      'Sie haben diese Version seit der Einreichung nicht freigegeben und deshalb keine Freigabe zurückzunehmen.',
      next,
    ),
  approval_round_ended: next =>
    withNextSteps('Diese Version wartet auf keine Freigabe mehr, deshalb kann keine mehr zurückgenommen werden.', next),
  workflow_permission_required: ({ transition, permission }) =>
    `Sie brauchen die Berechtigung ${permission} für den Übergang ${transition}.`,
  workflow_cancel_after_submission: next =>
    withNextSteps('Nur ein Entwurf, der nie eingereicht wurde, kann verworfen werden.', next),
  workflow_transition_unknown: params =>
    withNextSteps(`Vom Status ${params.state} aus gibt es keinen Übergang ${params.transition}.`, params),
  workflow_transition_automatic: params =>
    withNextSteps(`Der Übergang ${params.transition} geschieht von selbst, ${params.moment}.`, params),

  delegation_to_holder: ({ person }) => `Die Entscheidung liegt schon bei ${person}.`,
  delegation_person_approved: ({ step, person }) => `${person} hat ${inStep(step)} schon freigegeben.`,
  delegation_person_is_author: ({ step, person }) =>
    `${person} ist der Autor und kann ${inStep(step)} nicht entscheiden.`,
  delegation_person_took_part: ({ step, person, part }) =>
    `${person} ${partOfPerson(part)} und kann ${inStep(step)} nicht entscheiden.`,
  delegation_person_excluded: ({ step, person, excluded }) =>
    `${person} hat im Schritt ${or(excluded.map(stepIn))} freigegeben und kann ${inStep(step)} nicht entscheiden.`,
  delegation_person_delegated: ({ step, person }) => `${person} hat die Entscheidung ${inStep(step)} schon übertragen.`,
  delegation_person_not_named: ({ step, person }) => `Keine Regel ${ofStep(step)} nennt ${person}.`,
  delegation_person_cannot_decide: ({ step, person, permissions }) =>
    `Die Entscheidung ${inStep(step)} kann nicht an ${person} übertragen werden: ${
      permissions.length > 0
        ? `Es fehlt ${and(permissions)}`
        : 'Die Person ist nicht aktiv oder darf in dieser Firma nicht freigeben'
    }. Wählen Sie eine andere Person.`,
  delegation_person_lacks_permission: ({ step, person, permission }) =>
    `${person} kann ${inStep(step)} nicht entscheiden, weil die Berechtigung ${permission} fehlt.`,
  delegation_person_represented: ({ step, person }) =>
    `Für ${person} wurde ${inStep(step)} schon durch die Vertretung freigegeben.`,
  delegation_leaves_too_few: ({ step }) =>
    `Der Schritt ${stepIn(step)} hätte zu wenige verschiedene Freigebende. Wählen Sie eine andere Person.`,
  delegation_not_found: ({ person }) => `${person} hat in einer ausstehenden Freigabe nichts übertragen.`,
  delegation_used: ({ step, person }) =>
    `${person} hat ${inStep(step)} damit schon freigegeben, deshalb kann die Übertragung nicht beendet werden.`,

  workflow_name_twice: ({ kind, name }) =>
    `Es gibt zwei ${kind === 'states' ? 'Status' : kind === 'transitions' ? 'Übergänge' : kind} namens ${name}. Benennen Sie einen davon um.`,
  workflow_state_unknown: ({ state }) => `Den Status ${state} gibt es nicht.`,
  workflow_state_final: ({ state }) => `Der Status ${state} ist endgültig, deshalb führt kein Übergang hinaus.`,
  workflow_transition_to_itself: ({ transition, state }) =>
    `Der Übergang ${transition} führt vom Status ${state} zu ihm selbst. Wählen Sie einen anderen Status.`,
  workflow_wait_outside_review:
    'Nur ein Status der Art review kann auf den Tag der Gültigkeit oder auf Schulung warten.',
  workflow_supersede_not_effective: 'Nur ein gültiger Status kann ersetzt werden.',
  workflow_superseded_still_effective: 'Eine ersetzte Version ist nicht mehr gültig. Wählen Sie einen anderen Status.',
  workflow_permission_unknown: ({ permission }) => `Die Berechtigung ${permission} gibt es nicht.`,
  workflow_reject_not_by_hand:
    'Eine Ablehnung entscheidet eine Person, deshalb kann reject weder von selbst geschehen noch eine Freigabe sein.',
  workflow_approval_trigger: 'Ein Übergang mit einer Freigabe geschieht mit on_approval.',
  workflow_approval_missing: 'Ein Übergang, der mit on_approval geschieht, braucht eine Freigabe.',
  workflow_automatic_with_permission:
    'Einen automatischen Übergang führt niemand aus, deshalb braucht er keine Berechtigung.',
  workflow_automatic_with_comment: 'Einen automatischen Übergang führt niemand aus, deshalb hat er keinen Kommentar.',
  workflow_state_with_two_approvals: ({ state, steps }) =>
    `Der Status ${state} wartet auf ${steps.length} Freigaben zugleich: ${steps.join(', ')}. Behalten Sie eine davon.`,
  workflow_approval_without_reject: ({ state }) =>
    `Der Status ${state} wartet auf eine Freigabe, hat aber keinen Übergang reject. Fügen Sie ihn hinzu.`,
  workflow_approval_overtaken: ({ state }) =>
    `Der Status ${state} wartet auf eine Freigabe, deshalb kann er nicht an einem Tag oder nach einer Schulung verlassen werden.`,
  workflow_trigger_twice: ({ state, trigger }) =>
    `Der Status ${state} hat zwei Übergänge ${trigger}. Behalten Sie einen davon.`,
  workflow_effective_without_supersede: ({ state }) =>
    `Der gültige Status ${state} hat keinen Übergang on_supersede. Fügen Sie ihn hinzu.`,
  workflow_state_unreachable: ({ state }) => `Der Status ${state} ist nicht erreichbar.`,
  workflow_no_way_to_final: ({ state }) => `Vom Status ${state} führt kein Weg zu einem endgültigen Status.`,
  workflow_no_way_to_effective: ({ state }) => `Vom Status ${state} führt kein Weg zu einem gültigen Status.`,
  workflow_automatic_loop: ({ transition }) =>
    `Der Übergang ${transition} gehört zu einem Kreis, in dem keine Person etwas tut.`,
  workflow_initial_state_count: ({ count }) => `Ein Workflow hat genau einen Anfangsstatus, nicht ${count}.`,

  workflow_person_named_twice: ({ person }) => `Nennen Sie ${named(person)} nur einmal.`,
  workflow_who_mismatch: ({ kind, by }) =>
    `Nennen Sie ${kinds[kind] ?? kind} ${by === 'id' ? 'mit der ID' : by === 'name' ? 'mit dem Namen' : by}.`,
  workflow_count_and_percent: 'Geben Sie der Regel eine Anzahl oder einen Anteil, nicht beides.',
  workflow_person_cannot_approve: ({ person }) =>
    `${named(person)} kann in diesem Schritt nicht freigeben. Wählen Sie eine andere Person.`,
  workflow_group_unknown: ({ group }) => `${named(group)} gibt es nicht.`,
  workflow_role_without_approvers: ({ role }) =>
    `Die Rolle ${role} hat niemanden, der aktiv ist und freigeben darf, deshalb kann dieser Schritt nicht freigegeben werden.`,
  workflow_group_without_approvers: ({ group }) =>
    `${named(group)} hat niemanden, der aktiv ist und freigeben darf, deshalb kann dieser Schritt nicht freigegeben werden.`,
  workflow_permission_without_approvers: ({ permission }) =>
    `Niemand mit der Berechtigung ${permission} ist aktiv und darf freigeben, deshalb kann dieser Schritt nicht freigegeben werden.`,
  workflow_rule_short_of_people: ({ available, needed }) =>
    `Nach dieser Regel können nur ${available} der nötigen ${needed} Personen freigeben.`,
  workflow_rules_short_of_people: ({ approvers }) =>
    `Es gibt nicht genug verschiedene Personen für: ${approvers}. Die Freigabe einer Person zählt einmal.`,
  workflow_steps_short_of_people: ({ steps }) =>
    `Es gibt nicht genug verschiedene Personen für die Schritte ${and(steps.map(stepIn))}.`,
  workflow_step_short_of_people: ({ step, approvers }) =>
    `Es gibt nicht genug Personen für den Schritt ${stepIn(step)}: Er braucht ${approvers}.`,
  workflow_step_short_without_author: ({ step, authors, more, approvers }) =>
    `Der Schritt ${stepIn(step)} kann für Dokumente von ${or([...authors.map(named), ...(more > 0 ? [`${more} weiteren`] : [])])} nicht freigegeben werden: Ohne den Autor bleiben zu wenige Personen für ${approvers}.`,
  workflow_permission_unheld: ({ permission }) => `Niemand hat die Berechtigung ${permission}.`,
  workflow_reminder_too_early: 'Die Erinnerung käme, bevor die Freigabe begonnen hat. Wählen Sie weniger Tage.',
  workflow_escalation_without_readers: ({ people }) =>
    `Niemand würde benachrichtigt, weil ${people} keine Entwürfe lesen dürfen. Wählen Sie andere Personen.`,
  workflow_approval_unknown: ({ step }) => `Die Freigabe ${step} gibt es nicht.`,
  workflow_approval_excludes_itself:
    'Ein Schritt muss seine eigenen Freigebenden nicht ausschließen, weil niemand ihn zweimal freigibt.',

  workflow_people: peopleIn,
  workflow_rule_people: countedIn,
  workflow_rule_percent: params =>
    `${params.percent} % von: ${peopleIn(params)}${params.count === null ? '' : `, das sind ${params.count}`}`,
  workflow_rules: ({ rules, is_in_order }) => rules.join(is_in_order ? ', dann ' : ' und '),
  workflow_approval_awaited: params => {
    const { transition, people, others, is_author_excluded, excluded_steps } = params
    const some = [
      ...people.map(named),
      ...(others > 0 ? [others === 1 ? '1 weitere Person' : `${others} weitere`] : []),
    ]
    return [
      `${stepIn(transition)} wartet auf ${missingIn(params)}: ${some.length === 0 ? 'niemand darf jetzt freigeben' : or(some)}`,
      ...(is_author_excluded ? ['der Autor ist ausgeschlossen'] : []),
      ...(excluded_steps.length > 0
        ? [`wer im Schritt ${or(excluded_steps.map(stepIn))} freigab, ist ausgeschlossen`]
        : []),
    ].join('; ')
  },
  workflow_decision: ({ person, decision, step, giver }) =>
    `${person} hat ${inStep(step)} ${decision === 'approve' ? 'freigegeben' : 'abgelehnt'}${giver === null ? '' : `, an Stelle von ${giver}`}`,
  workflow_moment: ({ moment }) => moments[moment] ?? `${moment}`,
  workflow_automatic: ({ transition, moment, day: date }) =>
    `${transition} geschieht von selbst, ${moment}${date === null ? '' : `, ${day(date)}`}`,
  workflow_transition: params => {
    const { transition, approvers, excluded_steps, signed_as, due_days, remind_days_before, escalated_to } = params
    const { moment, permission } = params
    const reminder = remind_days_before === 0 ? 'an diesem Tag' : `${days(remind_days_before)} davor`
    const parts = [
      ...(approvers === null
        ? []
        : [
            `Freigabe durch ${approvers}`,
            `der Autor ${params.is_author_excluded ? 'ausgeschlossen' : 'eingeschlossen'}`,
          ]),
      ...(excluded_steps.length > 0 ? [`nicht, wer ${excluded_steps.map(stepIn).join(', ')} freigab`] : []),
      ...(signed_as === null ? [] : [`unterschrieben als ${signed_as}`]),
      ...(due_days === null ? [] : [`fällig nach ${days(due_days)}, mit einer Erinnerung ${reminder}`]),
      ...(escalated_to === null ? [] : [`wenn überfällig, auch an: ${escalated_to}`]),
      ...(moment === null ? [] : [`von selbst, ${moment}`]),
      ...(permission === null ? [] : [`Berechtigung ${permission}`]),
      ...(params.is_comment_required ? ['mit einem Kommentar'] : []),
    ]
    return parts.join('; ') || (transition === 'reject' ? 'wer freigeben könnte' : 'alle')
  },
  workflow_transitions_awaited: ({ transitions, by_whom }) =>
    transitions.length === 0
      ? 'kein Übergang führt weiter'
      : `jemand führt aus: ${or(transitions.map((name, at) => `${name} (${by_whom[at]})`))}`,
})

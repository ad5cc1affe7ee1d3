import { and, day, documentState } from '#kernel/german.ts'
import { labelOf } from '#kernel/labels.de.ts'
import { defineGerman, type MessageParams, translate } from '#kernel/message.ts'
import type {
  CommonParams,
  ConfigurationParams,
  CopyParams,
  DisposalParams,
  DocumentParams,
  MigrationParams,
  messages,
  RecordParams,
  RemovalParams,
  ReviewParams,
  TrainingParams,
} from './messages.ts'

const by = ({ by }: Pick<CommonParams, 'by'>) => (by === null ? '' : ` von ${by}`)
const comment = ({ comment }: Pick<CommonParams, 'comment'>) => (comment === null ? '' : ` „${comment}“`)
const quote = ({ quote }: { quote: string | null }) => (quote === null ? '' : ` „${quote}“`)
const due = ({ due_date }: Pick<CommonParams, 'due_date'>) => (due_date === null ? '' : ` Fällig am ${day(due_date)}.`)
const wasDue = ({ due_date }: Pick<CommonParams, 'due_date'>) =>
  due_date === null ? '' : ` Fällig war der ${day(due_date)}.`

type Part<P> = (params: P) => string

/** `phrase` follows the number in the title, `details` the sentence that names the record. */
const about =
  <P extends { number: string }>(subject: Part<P>, usualDetails: Part<P>) =>
  (phrase: string | Part<P>, details: Part<P> = usualDetails) =>
  (params: P) => ({
    title: `${params.number} ${typeof phrase === 'string' ? phrase : phrase(params)}`,
    text: `${subject(params)}.${details(params)}`,
  })
const document = about<DocumentParams>(
  ({ number, title, version }) => `${number}, „${title}“, Version ${version}`,
  comment,
)
const record = about<RecordParams>(({ number, title, state }) => `${number}, „${title}“, ${labelOf(state)}`, comment)
const configuration = about<ConfigurationParams>(({ title }) => `Änderung an ${title}`, comment)
const copiesOut = ({ copies_out }: RemovalParams) => {
  if (copies_out === 0) return ''
  const [are, them] =
    copies_out === 1 ? ['gelenkte Kopie dieser Version ist', 'sie'] : ['gelenkte Kopien dieser Version sind', 'sie']
  return ` ${copies_out} ${are} noch ausgegeben, und die Entfernung erreicht kein Papier. Lassen Sie ${them} zurückgeben.`
}
const commentAndCopies = (params: RemovalParams) => `${comment(params)}${copiesOut(params)}`
const removal = about<RemovalParams>(({ title }) => `Datei von ${title}`, commentAndCopies)
const migration = about<MigrationParams>(({ number, title }) => `${number}, „${title}“,`, comment)
const disposal = about<DisposalParams>(({ number }) => `Vernichtung ${number}`, comment)
const recordsOf = ({ records }: DisposalParams) =>
  ` Sie enthält ${records === 1 ? 'einen Datensatz' : `${records} Datensätze`}.`
const hold = about<DisposalParams>(({ number }) => `Löschsperre ${number}`, comment)
const review = about<ReviewParams>(({ number }) => `Wirksamkeitsprüfung von ${number}`, comment)
const training = about<TrainingParams>(
  ({ number, title, trainee }) => `${number}, „${title}“, Schulung von ${trainee}`,
  comment,
)
const dueTraining: Part<TrainingParams> = params =>
  `${due(params)}${params.version === null ? '' : ` Lesen Sie Version ${params.version} des Dokuments.`}`

const dueAndComment = (params: CommonParams) => `${due(params)}${comment(params)}`
const actionOf = ({ action }: RecordParams) => (action === null ? '' : ` Maßnahme: „${action}“.`)
const moved: Part<RecordParams> = params =>
  `ist jetzt ${labelOf(params.state)}${params.by === null ? '' : ` (${params.by})`}`
const extensionRequested = record('wartet auf Ihre Entscheidung über eine spätere Frist', params => {
  const { due_date, requested_due_date } = params
  const request =
    due_date && requested_due_date
      ? ` Fällig am ${day(due_date)}; ${params.by} bittet um den ${day(requested_due_date)}.`
      : due(params)
  return `${request}${comment(params)}`
})
const extended = record(
  params => `hat die neue Frist ${params.due_date === null ? '-' : day(params.due_date)}${by(params)}`,
)
const notExtended = record(params => `behält die Frist: Eine andere wurde${by(params)} abgelehnt`)
const commented = record(params => `hat einen Kommentar${by(params)}`, quote)
const linked = record(params => `wurde${by(params)} mit einem anderen Datensatz verknüpft`)
const unlinked = record(params => `wurde${by(params)} von einem anderen Datensatz getrennt`)

const jobNames: Readonly<Record<string, string>> = {
  'accounts.hand_over': 'die Übergabe offener Aufgaben',
  'training.assign': 'die Zuweisung einer Schulung',
  'training.cancel_open': 'der Abbruch offener Zuweisungen',
  'training.release': 'die Schulung nach einer Freigabe',
  'statistics.count_by_new_zone': 'die Statistik nach der neuen Zeitzone',
}

type JobParams = {
  id: number
  kind: string | null
  done: number | null
  total: number | null
  skipped: number | null
  error: string | null
}
const job =
  (outcome: string) =>
  ({ id, kind, done, total, skipped, error }: JobParams) => ({
    title: `Ihre Hintergrundaufgabe ${outcome}`,
    text: [
      `Aufgabe ${id}${kind === null ? '' : `, ${jobNames[kind] ?? kind}`}.`,
      ...(done !== null && total !== null ? [`${done} von ${total} erledigt.`] : []),
      ...(skipped ? [`${skipped} übersprungen.`] : []),
      ...(error === null ? [] : [`„${error}“`]),
    ].join(' '),
  })

const tellAdmin = 'Wenn Sie das nicht erwartet haben, sagen Sie es sofort einem Admin.'
/** To the owner of the account. */
const accountChanged = (change: string) => (params: { by: string | null }) => ({
  title: `${change} Ihres Kontos wurde geändert`,
  text: `${change} Ihres Kontos wurde${by(params)} geändert. ${tellAdmin}`,
})

const outcomes: Readonly<Record<string, string>> = { '-': 'unbekannt' }
const outcomeOf = (outcome: string | null) => outcomes[outcome ?? '-'] ?? labelOf(outcome ?? '-')

type Requested = { request: string | null; request_title: string; request_text: string }
/** The request within a notification by its own code, whose parameters stand beside it. */
function requestOf(params: Requested) {
  const said =
    params.request === null
      ? undefined
      : translate('de', { code: params.request, params: params as unknown as MessageParams })
  return { title: params.request_title, text: params.request_text, ...said }
}

defineGerman<typeof messages>({
  notification_type_repeated: ({ type }) => `${type} ist zweimal aufgeführt. Entfernen Sie einen der Einträge.`,
  notification_type_required: ({ type }) =>
    `${type} verlangt eine Entscheidung oder warnt, und lässt sich nicht abschalten.`,
  notification_email_without_app:
    'Ohne die Mitteilung gibt es keine E-Mail. Wählen Sie none, oder lassen Sie die Mitteilung eingeschaltet.',
  notification_nothing_to_escalate: 'Keine ungelesene Anforderung zu diesem Datensatz ist zur Eskalation fällig.',
  notification_nothing_to_digest: ({ day: date }) => `Keine Mitteilung wartet auf die Übersicht vom ${day(date)}.`,

  document_approval_requested: document(
    'wartet auf Ihre Entscheidung',
    params => ` Status: ${documentState(params.state)}.${dueAndComment(params)}`,
  ),
  document_reminded: document(
    ({ by }) => `wartet noch auf Ihre Entscheidung${by === null ? '' : `, ${by} erinnert Sie`}`,
    dueAndComment,
  ),
  document_approval_due: document('wartet noch auf Ihre Entscheidung', due),
  document_approval_overdue: document('wartet auf eine überfällige Entscheidung', wasDue),
  document_approval_overdue_own: document('wartet auf Ihre Entscheidung, die überfällig ist', wasDue),
  document_approval_orphaned: document(
    'wartet auf eine Freigabe, für die zu wenige Personen übrig sind',
    params => `${due(params)} Nennen Sie andere Freigebende.`,
  ),
  document_approved: document(params => `wurde${by(params)} freigegeben`),
  document_rejected: document(
    params => `wurde${by(params)} abgelehnt`,
    params => ` Status: ${documentState(params.state)}.${comment(params)}`,
  ),
  document_approval_withdrawn: document(
    params => `hat eine Freigabe verloren, die${by(params)} zurückgenommen wurde`,
    comment,
  ),
  document_moved: document(
    params => `ist jetzt ${documentState(params.state)}${params.by === null ? '' : ` (${params.by})`}`,
  ),
  document_effective: document('ist gültig', () => ''),
  document_effective_date_set: document(
    ({ effective_date }) => `wird am ${effective_date === null ? '-' : day(effective_date)} gültig`,
  ),
  document_effective_date_removed: document('wird gültig, sobald es freigegeben ist'),
  document_delegated: document(params => `wurde${by(params)} an eine andere Person übertragen`),
  document_delegated_own: document(params => `wurde${by(params)} an Sie übertragen`, dueAndComment),
  document_delegation_ended: document(
    params => `ist nicht mehr übertragen${params.by === null ? '' : ` (${params.by})`}`,
  ),
  document_delegation_ended_own: document(
    params => `wartet wieder auf Ihre eigene Entscheidung${params.by === null ? '' : ` (${params.by})`}`,
  ),
  document_review_due: document('steht bald zur regelmäßigen Überprüfung an', due),
  document_review_overdue: document('ist überfällig zur regelmäßigen Überprüfung', wasDue),
  document_reviewed: document(params => `wurde${by(params)} überprüft`),
  document_commented: document(params => `hat einen Kommentar${by(params)}`, quote),
  document_comment_mentioned: document(params => `erwähnt Sie in einem Kommentar${by(params)}`, quote),
  document_comment_reopened: document(params => `hat einen Kommentar, der${by(params)} wieder geöffnet wurde`, comment),
  document_comment_resolved: document(params => `hat einen Kommentar, der${by(params)} erledigt wurde`, quote),

  configuration_approval_requested: configuration(
    'wartet auf Freigabe',
    params =>
      ` Vorgeschlagen${by(params)}. Lesen Sie, was sich ändert, und geben Sie es frei oder lehnen Sie es ab.${comment(params)}`,
  ),
  configuration_change_approved: configuration(params => `wurde${by(params)} freigegeben`),
  configuration_change_rejected: configuration(params => `wurde${by(params)} abgelehnt`),
  configuration_change_overtaken: configuration(
    'ist überholt',
    () =>
      ' Der Datensatz wurde nach Ihrem Vorschlag anders geändert. Schlagen Sie es noch einmal vor, wenn es noch nötig ist.',
  ),

  file_removal_awaits_decision: removal(
    'wartet auf Ihre Entscheidung',
    params =>
      ` Die Entfernung wurde${by(params)} beantragt. Lesen Sie den Grund, und genehmigen Sie sie oder lehnen Sie sie ab.${commentAndCopies(params)}`,
  ),
  file_removal_approved: removal(params => `wurde${by(params)} genehmigt`),
  file_removal_rejected: removal(params => `wurde${by(params)} abgelehnt`, comment),
  disposal_awaits_decision: disposal(
    'wartet auf Ihre Entscheidung',
    params =>
      `${recordsOf(params)} Die Vernichtung wurde${by(params)} vorgeschlagen. Lesen Sie die Liste, und genehmigen Sie sie oder lehnen Sie sie ab.${comment(params)}`,
  ),
  disposal_approved: disposal(params => `wurde${by(params)} genehmigt`),
  disposal_rejected: disposal(params => `wurde${by(params)} abgelehnt`),
  disposal_completed: disposal(
    'wurde ausgeführt',
    ({ records, kept }) =>
      ` ${records} vernichtet, ${kept} behalten, weil sie nicht mehr vernichtet werden dürfen. Warum, steht in der Vernichtung.`,
  ),
  legal_hold_lifted: hold(params => `wurde${by(params)} aufgehoben`),
  document_file_removed: document('hat eine Datei verloren, die zwei Personen entfernt haben', comment),

  deviation_reported: record('ist kritisch und wartet auf die Bewertung', due),
  deviation_unassigned: record('wartet auf die Zuweisung', due),
  deviation_assigned: record('ist Ihnen zugewiesen', dueAndComment),
  deviation_approval_requested: record('wartet auf den Abschluss'),
  deviation_moved: record(moved),
  deviation_due_soon: record('wird bald fällig', due),
  deviation_overdue: record('ist überfällig', wasDue),
  deviation_commented: commented,
  deviation_linked: linked,
  deviation_unlinked: unlinked,
  deviation_extension_requested: extensionRequested,
  deviation_extended: extended,
  deviation_not_extended: notExtended,

  capa_approval_requested: record('ist ein Entwurf und wartet auf Ihre Freigabe', () => ''),
  capa_plan_approval_requested: record('hat einen Plan, der auf Ihre Freigabe wartet', () => ''),
  capa_plan_approved: record(params => `hat einen Plan, der${by(params)} freigegeben wurde`),
  capa_assigned: record(params => `wurde Ihnen${by(params)} zugewiesen`),
  capa_moved: record(moved),
  capa_due: record('wird bald fällig', due),
  capa_action_due: record('hat eine Maßnahme, die bald fällig wird', params => `${actionOf(params)}${due(params)}`),
  capa_overdue: record('ist überfällig', wasDue),
  capa_action_overdue: record('hat eine überfällige Maßnahme', params => `${actionOf(params)}${wasDue(params)}`),
  capa_commented: commented,
  capa_linked: linked,
  capa_unlinked: unlinked,
  capa_extension_requested: extensionRequested,
  capa_extended: extended,
  capa_not_extended: notExtended,
  capa_review_requested: record('wartet auf Ihre Wirksamkeitsprüfung'),
  capa_review_planned: review(params => `wurde Ihnen${by(params)} zur Wirksamkeitsprüfung zugewiesen`, due),
  capa_review_due: review('steht bald zur Wirksamkeitsprüfung an', due),
  capa_review_overdue: review('ist überfällig zur Wirksamkeitsprüfung', wasDue),
  capa_reviewed_effective: review(params => `wurde${by(params)} für wirksam befunden`),
  capa_reviewed_closable: review(params => `wurde${by(params)} für wirksam befunden und kann abgeschlossen werden`),
  capa_reviewed_not_effective: review(params => `wurde${by(params)} für nicht wirksam befunden`),

  training_assigned: training(params => `ist Ihnen${by(params)} zugewiesen`, dueTraining),
  training_moved: training('geht mit einer neuen Version des Dokuments weiter', dueTraining),
  training_due_soon: training('wird bald fällig', due),
  training_reminded: training(
    ({ by }) => `ist noch zu erledigen${by === null ? '' : `, ${by} erinnert Sie`}`,
    dueAndComment,
  ),
  training_overdue: training('ist überfällig', wasDue),
  training_completed: training(({ trainee }) => `wurde von ${trainee} abgeschlossen`),
  training_verification_requested: training('wartet auf Ihre Verifizierung'),
  training_failed: training(
    ({ trainee }) => `wurde von ${trainee} nicht bestanden`,
    () => ' Alle Versuche sind verbraucht. Weisen Sie sie noch einmal zu.',
  ),
  training_verified: training(params => `wurde${by(params)} verifiziert`),
  training_waived: training(params => `wurde${by(params)} erlassen`),
  training_cancelled: training(params => `wurde${by(params)} abgebrochen`),
  training_expiring: training('muss erneuert werden, weil die Gültigkeit bald endet', ({ valid_until }) =>
    valid_until === null ? '' : ` Gültig bis ${day(valid_until)}.`,
  ),

  group_joined: params => ({
    title: `Sie sind Mitglied der Gruppe ${params.group}`,
    text: `Sie wurden${by(params)} in die Gruppe ${params.group} aufgenommen.`,
  }),
  work_handed_over: ({ person }) => ({
    title: `Sie haben Aufgaben von ${person} übernommen`,
    text: `${person} wurde deaktiviert, und die offenen Aufgaben wurden Ihnen übergeben. Sehen Sie nach, was Ihnen zugewiesen ist und welche Dokumente Ihnen jetzt gehören.`,
  }),
  migration_accepted: migration(params => `wurde${by(params)} angenommen und wird geladen`),
  migration_loaded: migration('wurde geladen', ({ records, differences }) =>
    differences === 0
      ? ` Alle ${records} Datensätze stimmen mit ihren Zeilen überein. Geben Sie die Übernahme frei.`
      : ` ${differences} von ${records} Datensätzen weichen von ihren Zeilen ab. Lesen Sie den Bericht.`,
  ),
  migration_released: migration(params => `wurde${by(params)} freigegeben`),
  job_completed: job('ist erledigt'),
  job_failed: job('ist fehlgeschlagen'),
  signature_voided: params => ({
    title: `Ihre Unterschrift unter ${params.number ?? 'einem Datensatz'} ist ungültig`,
    text: `Sie wurde${by(params)} für ungültig erklärt.${comment(params)}`,
  }),
  account_email_changed: accountChanged('Die E-Mail-Adresse'),
  account_role_changed: accountChanged('Die Rolle'),
  account_permission_changed: accountChanged('Eine Berechtigung'),
  account_password_changed: accountChanged('Das Passwort'),
  account_second_factor_changed: accountChanged('Der zweite Faktor'),
  account_passkey_changed: accountChanged('Ein Passkey'),
  passkey_misused: ({ person, passkey }) => ({
    title: `Ein Passkey von ${person} wurde widerrufen`,
    text: `Der Passkey ${passkey} von ${person} hat seine Verwendungen rückwärts gezählt, wie es die Kopie eines Schlüssels tut. Er wurde widerrufen und lässt niemanden mehr ein. Fragen Sie ${person}, ob die Anmeldung oder Unterschrift versucht wurde, und lassen Sie einen neuen Passkey registrieren.`,
  }),
  account_break_glass_changed: params => ({
    title: 'Ihr Konto wurde zum Notfallkonto gemacht, oder ist keines mehr',
    text: `Es wurde${by(params)} entschieden, ob Ihr Konto Zugang hat, solange Single Sign-on nicht funktioniert. ${tellAdmin}`,
  }),
  account_linked: params => ({
    title: 'Ihr Konto wurde mit einem Anbieter verknüpft',
    text: `Ihr Konto wurde${by(params)} mit Ihrer Anmeldung bei einem Anbieter Ihrer Firma verknüpft: Wer sich dort als Sie anmeldet, kommt in dieses Konto. ${tellAdmin}`,
  }),
  account_unlinked: params => ({
    title: 'Ihr Konto ist nicht mehr mit einem Anbieter verknüpft',
    text: `Die Verknüpfung Ihres Kontos mit einem Anbieter Ihrer Firma wurde${by(params)} entfernt. ${tellAdmin}`,
  }),
  break_glass_used: ({ person }) => ({
    title: `${person} hat sich mit einem Notfallkonto angemeldet`,
    text: `Das Notfallkonto von ${person} wurde benutzt. Fragen Sie ${person}, ob das so war, und warum.`,
  }),
  break_glass_untried: ({ person }) => ({
    title: `Probieren Sie das Notfallkonto von ${person} aus`,
    text: `Mit dem Notfallkonto von ${person} hat sich seit einem Vierteljahr niemand angemeldet. Probieren Sie es aus, damit es am Tag, an dem es gebraucht wird, sicher funktioniert.`,
  }),
  identity_provider_added: params => ({
    title: `Der Anbieter ${params.provider ?? 'Ihrer Firma'} wurde hinzugefügt`,
    text: `Ein Anbieter für Single Sign-on wurde${by(params)} hinzugefügt. Wer ihn beherrscht, kann sich als die Personen anmelden, die mit ihm verknüpft sind. Wenn Sie das nicht erwartet haben, schalten Sie ihn sofort ab.`,
  }),
  identity_provider_changed: params => ({
    title: `Der Anbieter ${params.provider ?? 'Ihrer Firma'} wurde geändert`,
    text: `Ein Anbieter für Single Sign-on wurde${by(params)} geändert. Wer ihn beherrscht, kann sich als die Personen anmelden, die mit ihm verknüpft sind. Wenn Sie das nicht erwartet haben, schalten Sie ihn sofort ab.`,
  }),
  identity_provider_email_taken: ({ provider, person }) => ({
    title: `${provider ?? 'Ein Anbieter'} nannte eine Person mit der E-Mail-Adresse von ${person ?? 'einem anderen Konto'}`,
    text: `Jemand hat sich bei ${provider ?? 'dem Anbieter'} mit der E-Mail-Adresse von ${person ?? 'einem anderen Konto'} angemeldet, das damit nicht verknüpft ist, und wurde abgelehnt. Wenn es ${person ?? 'dieselbe Person'} ist, verknüpfen Sie das Konto.`,
  }),
  identity_provider_signing_refused: ({ provider, person }) => ({
    title: `Eine Unterschrift von ${person ?? 'einer Person'} durch ${provider ?? 'einen Anbieter'} wurde abgelehnt`,
    text: `Jemand wollte als ${person ?? 'eine Person'} unterschreiben, und die Anmeldung bei ${provider ?? 'dem Anbieter'} war die eines anderen oder keine neue. Fragen Sie ${person ?? 'die Person'}, ob sie es war.`,
  }),
  tenant_export_requested: params => ({
    title: 'Ein Export aller Daten wurde angefordert',
    text: `Ein Export des gesamten Bestands Ihrer Firma wurde${by(params)} angefordert${params.reason ? `: ${params.reason}` : ''}. Wer ihn herunterlädt, hat alle Datensätze und Dateien. Wenn Sie das nicht erwartet haben, löschen Sie den Export sofort.`,
  }),
  tenant_export_completed: {
    title: 'Ihr Export ist fertig',
    text: 'Der Export des gesamten Bestands Ihrer Firma ist fertig. Er kann sieben Tage lang heruntergeladen werden.',
  },
  tenant_export_failed: {
    title: 'Ihr Export konnte nicht erstellt werden',
    text: 'Der Export des gesamten Bestands Ihrer Firma ist in allen Versuchen gescheitert. Der Betreiber findet den Grund im Protokoll des Dienstes.',
  },
  tenant_export_downloaded: params => ({
    title: 'Der Export aller Daten wurde heruntergeladen',
    text: `Das Archiv mit dem gesamten Bestand Ihrer Firma wurde${by(params)} heruntergeladen. Wenn Sie das nicht erwartet haben, klären Sie sofort, wer es hat.`,
  }),
  tenant_export_deleted: params => ({
    title: 'Ein Export aller Daten wurde gelöscht',
    text: `Der Export, den Sie angefordert haben, wurde${by(params)} gelöscht. Sein Archiv kann nicht mehr heruntergeladen werden.`,
  }),
  session_ended: params => ({
    title: 'Ihre Sitzungen wurden beendet',
    text: `Alle Sitzungen Ihres Kontos wurden${by(params)} beendet. Melden Sie sich noch einmal an.`,
  }),
  session_ended_for_another: {
    title: 'Eine Ihrer Sitzungen wurde beendet',
    text: 'Ihr Konto war in mehr Browsern angemeldet, als Ihre Firma zugleich erlaubt, deshalb wurde der am längsten unbenutzte abgemeldet. Wenn Sie sich nicht angemeldet haben, sagen Sie es sofort einem Admin.',
  },
  service_account_changed: ({ person, by: who }) => ({
    title: 'Eines Ihrer Dienstkonten wurde geändert',
    text: `Ihnen gehört das Dienstkonto ${person}. Es wurde${by({ by: who })} angelegt, geändert oder deaktiviert.`,
  }),
  api_key_created: ({ account, name, by: who }) => ({
    title: 'Ein Dienstkonto hat einen neuen Schlüssel',
    text: `Der Schlüssel „${name}“ wurde${by({ by: who })} für das Dienstkonto ${account} ausgestellt.`,
  }),
  api_key_expiring: ({ account, name, days }) => ({
    title: `Ein Schlüssel von ${account} endet bald`,
    text: `Der Schlüssel „${name}“ des Dienstkontos ${account} endet binnen ${days === 1 ? 'einem Tag' : `${days} Tagen`}. Tauschen Sie ihn aus, sonst wird die Maschine abgelehnt.`,
  }),
  account_unlocked: {
    title: 'Ihr Konto wurde entsperrt',
    text: `Ein Betreiber hat die Sperren Ihres Kontos nach fehlgeschlagenen Anmeldungen aufgehoben. Wenn Sie nicht darum gebeten haben, sagen Sie es sofort einem Admin.`,
  },
  account_locked: ({ person, reason }) => ({
    title: `Das Konto von ${person} ist gesperrt`,
    text: `Als ${person} ist jemandem die Anmeldung oder Unterschrift zu oft misslungen${reason === null ? '' : ` (im Audit Trail: „${reason}“)`}. Fragen Sie ${person}, ob es eigene Versuche waren.`,
  }),
  identity_verification_requested: ({ person }) => ({
    title: `Prüfen Sie die Identität von ${person ?? 'einem Benutzer'}`,
    text: `Das Passwort von ${person ?? 'einem Benutzer'} wurde zurückgesetzt. Prüfen Sie, wer es ist, und halten Sie es fest: Bis dahin ist keine Unterschrift möglich.`,
  }),
  controlled_copy_issued: (params: CopyParams) => ({
    title: `${params.number} wurde an Sie ausgegeben`,
    text: `Sie haben diese gelenkte Kopie der Version ${params.version}, ${params.location}${by(params)}. Bewahren Sie sie dort auf, und geben Sie sie zurück, wenn sie zurückgerufen wird.`,
  }),
  controlled_copy_recalled: (params: CopyParams) => ({
    title: `Geben Sie ${params.number} zurück`,
    text: `Diese gelenkte Kopie der Version ${params.version}, ${params.location}, wurde${by(params)} zurückgerufen. Geben Sie sie zurück, und bestätigen Sie die Rückgabe.${due(params)}${comment(params)}`,
  }),
  controlled_copy_cancelled: (params: CopyParams) => ({
    title: `${params.number} wurde verworfen`,
    text: `Diese gelenkte Kopie der Version ${params.version} wurde${by(params)} verworfen, bevor sie gedruckt wurde.${comment(params)}`,
  }),
  controlled_copy_transferred: (params: CopyParams) => ({
    title: `Sie haben ${params.number}`,
    text: `Diese gelenkte Kopie der Version ${params.version}, ${params.location}, wurde Ihnen${by(params)} übergeben.${due(params)}${comment(params)}`,
  }),
  controlled_copy_confirmed: (params: CopyParams) => ({
    title: `${params.number} ist abzugleichen`,
    text: `${params.holder} hatte diese gelenkte Kopie, ${params.location}, und meldet: ${outcomeOf(params.outcome)}. Prüfen Sie das, und gleichen Sie sie ab.${comment(params)}`,
  }),
  controlled_copy_reconciled: (params: CopyParams) => ({
    title: `${params.number} wurde abgeglichen`,
    text: `Die gelenkte Kopie, die Sie hatten, ist ${labelOf(params.status)}${params.by === null ? '' : ` (${params.by})`}.${comment(params)}`,
  }),
  controlled_copy_overdue: (params: CopyParams) => ({
    title: `${params.number} wurde nicht zurückgegeben`,
    text: `${params.holder} hat diese gelenkte Kopie der Version ${params.version}, ${params.location}.${wasDue(params)} Lassen Sie sie zurückgeben, und gleichen Sie sie ab.`,
  }),
  controlled_copy_overdue_own: (params: CopyParams) => ({
    title: `Geben Sie ${params.number} zurück`,
    text: `Sie haben diese gelenkte Kopie der Version ${params.version}, ${params.location}, die zurückgerufen wurde.${wasDue(params)} Geben Sie sie zurück, und bestätigen Sie die Rückgabe.`,
  }),
  deputy_named: ({ person, deputy, starts_on, ends_on, comment: reason }) => ({
    title: `${deputy} vertritt ${person} vom ${day(starts_on)} bis ${day(ends_on)}`,
    text: `${deputy} kann an diesen Tagen die Aufgaben von ${person} erledigen und unterschreibt für ${person}.${comment({ comment: reason })}`,
  }),
  deputy_ended: ({ person, deputy, by: who, comment: reason }) => ({
    title: `${deputy} vertritt ${person} nicht mehr`,
    text: `Die Vertretung wurde${by({ by: who })} beendet.${comment({ comment: reason })}`,
  }),
  for_another: params => {
    const request = requestOf(params)
    return {
      title: `Für ${params.person}: ${request.title}`,
      text: `${request.text} Sie vertreten ${params.person}.`,
    }
  },
  escalation: params => {
    const { readers, notified_on } = params
    const request = requestOf(params)
    const waitsFor = readers.length > 2 ? `${readers[0]} und ${readers.length - 1} weitere` : and(readers)
    const [were, have] = readers.length > 1 ? ['wurden', 'haben'] : ['wurde', 'hat']
    return {
      title: `Wartet auf ${waitsFor}: „${request.title}“`,
      text: `${readers.join(', ')} ${were} am ${day(notified_on)} benachrichtigt und ${have} es nicht gelesen. ${request.text}`,
    }
  },
})

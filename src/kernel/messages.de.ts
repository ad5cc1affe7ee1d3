import { day } from './german.ts'
import { labelOf } from './labels.de.ts'
import { defineGerman } from './message.ts'
import type { messages, printed } from './messages.ts'

/** The names of records in `not_found` and `some_not_found`. */
const kinds: Readonly<Record<string, string>> = {
  'API key': 'API-Schlüssel',
  'Access review': 'Zugriffsprüfung',
  Action: 'Maßnahme',
  Attachment: 'Anhang',
  'Audit entry': 'Eintrag im Audit Trail',
  'Audit review': 'Prüfung des Audit Trails',
  CAPA: 'CAPA',
  Checkpoint: 'Checkpoint',
  Comment: 'Kommentar',
  'Configuration change': 'Konfigurationsänderung',
  'Content template': 'Inhaltsvorlage',
  'Controlled copy': 'Gelenkte Kopie',
  Curriculum: 'Curriculum',
  Deputy: 'Vertretung',
  Deviation: 'Abweichung',
  'Document type': 'Art des Dokuments',
  Document: 'Dokument',
  document: 'Dokument',
  Domain: 'Domain',
  'Effectiveness review': 'Wirksamkeitsprüfung',
  Extension: 'Fristverlängerung',
  'File removal': 'Entfernung einer Datei',
  'Form template version': 'Version der Formularvorlage',
  'Form template': 'Formularvorlage',
  Group: 'Gruppe',
  'E-mail': 'E-Mail',
  Job: 'Hintergrundaufgabe',
  Link: 'Verknüpfung',
  Member: 'Mitglied',
  Notification: 'Mitteilung',
  Passkey: 'Passkey',
  Provider: 'Anbieter',
  Record: 'Datensatz',
  Role: 'Rolle',
  'Service account': 'Dienstkonto',
  Session: 'Sitzung',
  Signature: 'Unterschrift',
  'Signing challenge': 'Aufforderung zur Unterschrift',
  Tenant: 'Mandant',
  'Training assignment': 'Schulungszuweisung',
  'Training program': 'Schulungsprogramm',
  User: 'Benutzer',
  user: 'Benutzer',
  'Workflow template': 'Workflow',
}
export const kindOf = (kind: string) => kinds[kind] ?? kind

defineGerman<typeof messages & typeof printed>({
  not_authenticated: 'Sie sind nicht angemeldet. Melden Sie sich an und versuchen Sie es noch einmal.',
  cross_site_request:
    'Eine Seite einer anderen Adresse hat dies gesendet. Öffnen Sie die Seite dieses Dienstes und versuchen Sie es noch einmal.',
  permission_required: ({ permission }) => `Sie brauchen die Berechtigung ${permission}.`,
  admin_may_not_approve: 'Admins dürfen in dieser Firma nicht freigeben.',
  not_found: ({ kind }) => `${kindOf(kind)} nicht gefunden`,
  some_not_found: ({ kind, ids, more }) =>
    `${kindOf(kind)} nicht gefunden: ${ids.join(', ')}${more > 0 ? ` und ${more} weitere` : ''}`,
  no_such_endpoint: 'Diese Seite oder diesen Endpunkt gibt es nicht.',
  method_not_allowed: ({ method, allowed }) =>
    `Dieser Endpunkt nimmt ${method} nicht an. Verwenden Sie ${allowed.join(' oder ')}.`,
  list_too_long_for_sheet: ({ maximum }) =>
    `Ein Tabellenblatt hat höchstens ${maximum} Zeilen. Filtern Sie die Liste, oder exportieren Sie sie als CSV.`,
  request_timeout: 'Die Anfrage kam nicht rechtzeitig an. Senden Sie sie noch einmal.',
  range_not_satisfiable: ({ size_bytes }) =>
    `Die Datei hat ${size_bytes} Byte, und der verlangte Bereich beginnt hinter ihrem Ende.`,
  invalid_input: 'Einige Werte sind nicht gültig. Berichtigen Sie sie und versuchen Sie es noch einmal.',
  transition_not_allowed: ({ number, from, to, allowed }) =>
    `${number} ist ${labelOf(from)} und kann nicht auf „${labelOf(to)}“ gesetzt werden: ${allowed.length > 0 ? `von „${labelOf(from)}“ aus geht es nur zu ${allowed.map(each => `„${labelOf(each)}“`).join(', ')}` : `„${labelOf(from)}“ ist endgültig`}.`,
  conditions_not_met: ({ number, to, conditions }) =>
    `${number} kann noch nicht auf „${labelOf(to)}“ gesetzt werden. ${conditions.join('. ')}.`,
  sort_not_supported: ({ fields }) => `Sortieren Sie nach einem von ${fields.join(', ')}, gefolgt von :asc oder :desc.`,
  facet_not_supported: ({ fields }) =>
    `Verlangen Sie Zählungen von einigen von ${fields.join(', ')}, durch Kommas getrennt.`,

  printed_by: ({ person, moment }) => `${day(moment)} von ${person}`,
  printed_footer: ({ person }) => `Erstellt von ${person}`,
  printed_footer_at: ({ person, moment }) => `Erstellt von ${person}, ${day(moment)}`,
})

import { wordsIn } from '../../words/index.ts'

const en = {
  title: 'Administration',
  groups: { people: 'People and access', rules: 'Rules', company: 'Company' },
  parts: {
    users: 'Who has an account, with which role; invite, lock, hand over',
    roles: 'Which permissions each role has, and where they come from',
    groups: 'People who are named together in workflows and training',
    serviceAccounts: 'Programs that use the API, and their keys',
    identityProviders: 'Log-in and signatures by the company’s own provider',
    documentTypes: 'Kinds of documents: their numbers, workflows and gates',
    workflows: 'States and transitions of documents, and who approves',
    forms: 'What people fill in when they report a deviation',
    templates: 'Texts that new documents begin with',
    changes: 'Changes of these rules that a second person approves',
    setUp: 'The steps of a new company, and what is left of them',
    settings: 'How the service behaves for this company',
    retention: 'What is past its retention day, and its disposal by two people',
    legalHolds: 'Records that may not be disposed of, and why',
    aiUse: 'The model of the assistant, its limit, and what was used',
    imports: 'Documents, people, training and cases from another system',
    jobs: 'Work in the background: how far it is, and what failed',
    messages: 'E-mails that could not be delivered',
    exports: 'All records and files of the company in one archive, to keep or to move',
  },
}

const de: typeof en = {
  title: 'Verwaltung',
  groups: { people: 'Menschen und Rechte', rules: 'Regeln', company: 'Unternehmen' },
  parts: {
    users: 'Wer ein Konto hat und mit welcher Rolle; einladen, sperren, übergeben',
    roles: 'Welche Rechte jede Rolle hat und woher sie kommen',
    groups: 'Menschen, die Workflows und Schulungen zusammen nennen',
    serviceAccounts: 'Programme, die die API nutzen, und ihre Schlüssel',
    identityProviders: 'Anmelden und Unterschreiben über den Anbieter des Unternehmens',
    documentTypes: 'Arten von Dokumenten: ihre Nummern, Workflows und Bedingungen',
    workflows: 'Zustände und Übergänge von Dokumenten, und wer freigibt',
    forms: 'Was Menschen ausfüllen, wenn sie eine Abweichung melden',
    templates: 'Texte, mit denen neue Dokumente beginnen',
    changes: 'Änderungen dieser Regeln, die eine zweite Person freigibt',
    setUp: 'Die Schritte eines neuen Unternehmens, und was davon fehlt',
    settings: 'Wie sich der Dienst für dieses Unternehmen verhält',
    retention: 'Was über seiner Aufbewahrungsfrist ist, und die Vernichtung durch zwei Personen',
    legalHolds: 'Datensätze, die nicht vernichtet werden dürfen, und warum',
    aiUse: 'Das Modell des Assistenten, seine Grenze und der Verbrauch',
    imports: 'Dokumente, Personen, Schulungen und Fälle aus einem anderen System',
    jobs: 'Arbeit im Hintergrund: wie weit sie ist und was misslang',
    messages: 'E-Mails, die nicht zugestellt werden konnten',
    exports: 'Alle Datensätze und Dateien der Firma in einem Archiv, zum Aufbewahren oder Umziehen',
  },
}

/** What the pages of the administration say about themselves. Each part has its own words beside its pages. */
export const useAdminWords = wordsIn({ en, de })

import type { en, People } from './words.en.ts'

const und = (items: string[]) => new Intl.ListFormat('de-DE', { type: 'conjunction' }).format(items)
const tage = (n: number) => (n === 1 ? '1 Tag' : `${n} Tage`)
const nachTagen = (n: number) => (n === 1 ? '1 Tag' : `${n} Tagen`)
const named = ({ kind, names }: People) =>
  kind === 'role' ? `der Rolle ${names[0]}` : kind === 'group' ? `der Gruppe ${names[0]}` : `dem Recht „${names[0]}“`

export const de: typeof en = {
  kinds: { initial: 'Anfang', review: 'In Arbeit', effective: 'In Kraft', final: 'Ende' },
  rights: {
    'documents.read': 'Gültige Dokumente lesen',
    'documents.read_drafts': 'Versionen lesen, die noch nicht gültig sind',
    'documents.read_obsolete': 'Versionen lesen, die nicht mehr gültig sind',
    'documents.create': 'Dokumente hochladen',
    'documents.update': 'Entwürfe ändern',
    'documents.submit': 'Entwürfe einreichen',
    'documents.review': 'Dokumente prüfen',
    'documents.approve': 'Dokumente freigeben',
    'documents.configure_approval': 'Freigaben einrichten',
    'documents.make_effective': 'Versionen gültig machen',
    'documents.obsolete': 'Dokumente außer Kraft setzen',
    'documents.periodic_review': 'Periodische Prüfungen entscheiden',
    'documents.transition': 'An Workflows teilnehmen',
  },
  counted: (people, count) => {
    if (people.kind === 'user')
      return count >= people.names.length ? und(people.names) : `${count} von ${und(people.names)}`
    if (people.kind === 'group') return `${count === 1 ? '1 Mitglied' : `${count} Mitglieder`} ${named(people)}`
    return `${count === 1 ? '1 Person' : `${count} Personen`} mit ${named(people)}`
  },
  share: (people, percent) =>
    people.kind === 'user'
      ? `${percent} % von ${und(people.names)}`
      : people.kind === 'group'
        ? `${percent} % der Mitglieder ${named(people)}`
        : `${percent} % der Personen mit ${named(people)}`,
  all: people =>
    people.kind === 'user'
      ? und(people.names)
      : people.kind === 'group'
        ? `die Mitglieder ${named(people)}`
        : `die Personen mit ${named(people)}`,
  rules: (rules, isInOrder) => rules.join(isInOrder ? ', dann ' : ' und '),
  approval: rules => `Freigabe durch ${rules}`,
  notAuthor: 'nicht der Autor',
  authorToo: 'auch der Autor darf freigeben',
  notThoseOf: steps => `nicht wer ${und(steps.map(each => `„${each}“`))} freigegeben hat`,
  signedAs: {
    review: 'unterschrieben als Prüfung',
    approval: 'unterschrieben als Freigabe',
    release: 'unterschrieben als Inkraftsetzung',
    rejection: 'unterschrieben als Ablehnung',
    authorship: 'unterschrieben als Autor',
    verification: 'unterschrieben als Überprüfung',
    acknowledgement: 'unterschrieben als Kenntnisnahme',
  },
  signed: 'unterschrieben',
  due: (n, remind) =>
    `fällig nach ${nachTagen(n)}, mit einer Erinnerung ${remind === 0 ? 'an diesem Tag' : `${tage(remind)} vorher`}`,
  escalated: people => `ist sie überfällig, erfahren es ${people}`,
  byHand: right => (right ? `Durch Personen mit dem Recht „${right}“` : 'Durch alle, die teilnehmen'),
  withRight: right => `nur Personen mit dem Recht „${right}“`,
  withComment: 'mit einem Kommentar',
  reject: 'Durch alle, die freigeben könnten',
  automatic: {
    on_effective_date: 'Von selbst am Tag der Gültigkeit',
    on_training_complete: 'Von selbst, wenn die Schulung abgeschlossen ist',
    on_supersede: 'Von selbst, wenn eine neuere Version gültig wird',
  },
  fromTo: (from, to) => `${from} nach ${to}`,
  states: labels => `Zustände: ${labels}.`,
  whole: (label, from, to, how) => `${label}, von ${from} nach ${to}: ${how}.`,
  differences: {
    none: 'Es gibt keinen Unterschied.',
    stateAdded: (label, kind) => `Der Zustand ${label} (${kind}) ist neu.`,
    stateRemoved: label => `Der Zustand ${label} entfällt.`,
    stateRenamed: (from, to) => `Der Zustand ${from} heißt jetzt ${to}.`,
    stateKind: (label, from, to) => `Der Zustand ${label} ist jetzt von der Art ${to}, nicht ${from}.`,
    statesInOrder: 'Die Zustände stehen in anderer Reihenfolge.',
    transitionAdded: (label, from, to, how) => `${label} ist neu, von ${from} nach ${to}: ${how}.`,
    transitionRemoved: (label, from, to) => `${label}, von ${from} nach ${to}, entfällt.`,
    transitionRenamed: (from, to) => `${from} heißt jetzt ${to}.`,
    transitionMoved: (label, before, after) => `${label} führt von ${after} und führte von ${before}.`,
    transitionHow: (label, before, after) => `${label}: „${after}“ an Stelle von „${before}“.`,
    transitionAlso: (label, after) => `${label}: jetzt auch „${after}“.`,
    transitionNoLonger: (label, before) => `${label}: nicht mehr „${before}“.`,
    transitionsInOrder: 'Die Übergänge stehen in anderer Reihenfolge.',
  },
  unknownUser: 'jemand, den es nicht gibt',
  unknownGroup: 'die es nicht gibt',
}

import type { en } from './words.en.ts'

const counted = (n: number, one: string, many: string) => (n === 1 ? `1 ${one}` : `${n} ${many}`)
/** As the service records it, in English. */
const subject = (records: number, cases: number) =>
  `the disposal of ${cases > 0 ? 'the files of ' : ''}${records === 1 ? 'one record' : `${records} records`}`
const casesStay =
  'Von einer Abweichung oder CAPA werden nur die angehängten Dateien vernichtet. Der Datensatz mit seinen Texten, seine Unterschriften und der Audit Trail bleiben.'

export const de: typeof en = {
  title: 'Aufbewahrung und Vernichtung',
  tabs: { label: 'Aufbewahrung und Vernichtung', due: 'Frist abgelaufen', disposals: 'Vernichtungen' },
  years: n => counted(n, 'Jahr', 'Jahre'),
  records: n => counted(n, 'Datensatz', 'Datensätze'),
  bytes: n => `${n.toLocaleString('de-DE')} Byte`,
  search: 'Datensatz suchen',
  kinds: { document: 'Dokumente', deviation: 'Abweichungen', capa: 'CAPAs' },
  due: {
    hint: 'Abgelöste und ungültige Versionen sowie angehängte Dateien beendeter Abweichungen und CAPAs, deren Aufbewahrungsfrist abgelaufen ist. Nichts wird vernichtet, bevor zwei Personen unterschrieben haben.',
    columns: {
      choose: 'Auswahl',
      number: 'Nummer',
      title: 'Titel',
      type: 'Regel',
      ended: 'Beendet',
      destroys: 'Wird vernichtet',
      until: 'Aufbewahren bis',
      state: 'Vernichtung',
    },
    kind: 'Art',
    versionFile: 'Ihre Datei',
    attachedFiles: n => counted(n, 'angehängte Datei', 'angehängte Dateien'),
    choose: record => `${record} auswählen`,
    chooseAll: 'Alle auf dieser Seite auswählen',
    yes: 'Kann vorgeschlagen werden',
    rule: (type, years) => `${type}: ${years}`,
    ended: {
      superseded: 'abgelöst',
      obsolete: 'ungültig',
      cancelled: 'abgebrochen',
      closed: 'abgeschlossen',
      rejected: 'abgelehnt',
    },
    obstacles: {
      in_use: 'Nein: in Gebrauch',
      on_hold: holds => `Nein: Löschsperre ${holds}`,
      referenced: 'Nein: von einer offenen Abweichung, CAPA oder Schulung genannt',
      copies_out: 'Nein: gelenkte Kopien sind nicht zurück',
      removal_requested: 'Nein: die Entfernung einer Datei ist beantragt',
      no_files: 'Nein: es gibt keine Datei',
    },
    inDisposal: 'Nein: enthalten in',
    none: 'Keine Aufbewahrungsfrist ist abgelaufen',
    noneHint:
      'Eine Dokumentart ohne Aufbewahrungsfrist behält ihre Dokumente auf Dauer. Ebenso bleiben angehängte Dateien von Abweichungen und CAPAs, solange die Einstellungen keine Frist nennen.',
    noneMatch: 'Kein Datensatz passt',
    chosen: n => `${counted(n, 'Datensatz', 'Datensätze')} ausgewählt`,
    clear: 'Auswahl aufheben',
  },
  propose: {
    title: 'Vernichtung vorschlagen',
    begin: 'Vernichtung vorschlagen',
    about: n => counted(n, 'Datensatz', 'Datensätze'),
    effect: (versions, cases) =>
      [
        ...(versions > 0
          ? [
              'Nachdem eine andere Person zugestimmt hat, werden die Dateien der Versionen für immer gelöscht, samt ihrem Text in der Suche. Nummer, Titel, Daten, Prüfsummen, Unterschriften und der Audit Trail bleiben.',
            ]
          : ['Nachdem eine andere Person zugestimmt hat, werden die angehängten Dateien für immer gelöscht.']),
        ...(cases > 0 ? [casesStay] : []),
      ].join(' '),
    meaning: cases =>
      cases > 0
        ? 'Ich schlage vor, die Dateien dieser Datensätze zu vernichten. Ihre Aufbewahrungsfrist ist abgelaufen.'
        : 'Ich schlage vor, diese Datensätze zu vernichten. Ihre Aufbewahrungsfrist ist abgelaufen.',
    intent: (n, cases) => `I propose ${subject(n, cases)}`,
    reason: 'Begründung',
    submit: 'Unterschreiben und vorschlagen',
    done: number => `${number} wartet auf eine andere Person.`,
  },
  disposals: {
    hint: 'Was zur Vernichtung vorgeschlagen wurde, wer darüber entschieden hat und was daraus wurde.',
    columns: {
      number: 'Nummer',
      reason: 'Begründung',
      status: 'Status',
      records: 'Datensätze',
      by: 'Vorgeschlagen von',
      at: 'Vorgeschlagen',
      decided: 'Entschieden',
    },
    statuses: {
      proposed: 'Wartet auf Zustimmung',
      approved: 'Wird ausgeführt',
      completed: 'Ausgeführt',
      rejected: 'Abgelehnt',
      withdrawn: 'Zurückgezogen',
    },
    none: 'Es wurde noch keine Vernichtung vorgeschlagen',
    noneHint: 'Wählen Sie Datensätze aus, deren Frist abgelaufen ist, und schlagen Sie ihre Vernichtung vor.',
    noneMatch: 'Keine Vernichtung passt',
  },
  disposal: {
    back: 'Vernichtungen',
    title: 'Vernichtung',
    reason: 'Warum',
    records: 'Datensätze',
    files: 'Dateien',
    rule: 'Regel',
    ruleOf: (type, years) => `${type}, ${years} aufbewahrt`,
    ended: 'Beendet',
    until: 'Aufbewahren bis',
    outcome: 'Ergebnis',
    outcomes: { listed: 'Noch nicht entschieden', disposed: 'Vernichtet', kept: 'Behalten' },
    disposedOn: day => `Vernichtet am ${day}`,
    filesDisposedOn: day => `Dateien vernichtet am ${day}; der Datensatz bleibt`,
    attachedFiles: 'Angehängte Dateien',
    casesStay,
    pending: n =>
      n === 1
        ? 'Eine Datei wird noch aus dem Speicher gelöscht.'
        : `${n} Dateien werden noch aus dem Speicher gelöscht.`,
    stays:
      'Unterschriften und Audit Trail bleiben vollständig. Die Einträge des Audit Trails behalten ihre Werte; ein Betreiber kann sie schwärzen.',
    facts: {
      proposedBy: 'Vorgeschlagen von',
      proposedAt: 'Vorgeschlagen',
      decidedBy: 'Entschieden von',
      decidedAt: 'Entschieden',
      decision: 'Begründung der Entscheidung',
      completedAt: 'Ausgeführt',
      signatures: 'Unterschriften',
    },
    signatureOf: id => `Unterschrift ${id}`,
    yours: 'Ihre Entscheidung',
    waits: 'Wartet auf Zustimmung',
    own: 'Sie haben sie vorgeschlagen, deshalb muss eine andere Person entscheiden.',
    others: 'Es entscheidet, wer Vernichtungen genehmigen darf.',
    effect: (versions, cases) =>
      `Ihre Zustimmung vernichtet ${[
        ...(versions > 0 ? [counted(versions, 'Version', 'Versionen')] : []),
        ...(cases > 0
          ? [`die angehängten Dateien von ${counted(cases, 'Abweichung oder CAPA', 'Abweichungen und CAPAs')}`]
          : []),
      ].join(' und ')} für immer. Was vorher unter eine Löschsperre oder in Gebrauch kommt, bleibt.`,
    approve: 'Zustimmen',
    reject: 'Ablehnen',
    withdraw: 'Zurückziehen',
  },
  approve: {
    title: 'Der Vernichtung zustimmen',
    meaning: cases =>
      cases > 0
        ? 'Ich stimme zu, dass die Dateien dieser Datensätze vernichtet werden. Ich habe die Liste geprüft.'
        : 'Ich stimme zu, dass diese Datensätze vernichtet werden. Ich habe die Liste geprüft.',
    intent: (n, cases) => `I approve ${subject(n, cases)}`,
    reason: 'Begründung der Entscheidung',
    submit: 'Unterschreiben und vernichten',
    done: number => `${number} ist genehmigt und wird ausgeführt.`,
  },
  reject: {
    title: 'Die Vernichtung ablehnen',
    text: 'Nichts wird vernichtet. Die Datensätze können wieder vorgeschlagen werden.',
    reason: 'Begründung der Entscheidung',
    submit: 'Ablehnen',
    done: 'Die Vernichtung ist abgelehnt.',
  },
  withdraw: {
    title: 'Die Vernichtung zurückziehen',
    text: 'Nichts wird vernichtet. Die Datensätze können wieder vorgeschlagen werden.',
    reason: 'Begründung',
    submit: 'Zurückziehen',
    done: 'Die Vernichtung ist zurückgezogen.',
  },
  holds: {
    title: 'Löschsperren',
    hint: 'Eine Löschsperre (Legal Hold) hält die Vernichtung sofort auf, bis eine andere Person sie aufhebt.',
    begin: 'Löschsperre setzen',
    columns: {
      number: 'Nummer',
      scope: 'Gesperrt',
      reason: 'Begründung',
      status: 'Status',
      by: 'Gesetzt',
      lifted: 'Aufgehoben',
    },
    statuses: { active: 'Aktiv', lifted: 'Aufgehoben' },
    none: 'Es gibt keine Löschsperre',
    noneHint: 'Setzen Sie eine, wenn Datensätze aufbewahrt werden müssen, etwa für ein Verfahren oder eine Inspektion.',
    noneMatch: 'Keine Löschsperre passt',
    kinds: { document: 'Alle Dokumente', deviation: 'Alle Abweichungen', capa: 'Alle CAPAs' },
    type: name => `Alle Dokumente der Art ${name}`,
    item: name => `Alle Datensätze zu ${name}`,
    department: name => `Alle Datensätze von ${name}`,
    byOn: (name, day) => `${name}, ${day}`,
    lift: 'Aufheben',
    liftOf: number => `${number} aufheben`,
    signature: 'Unterschrift',
  },
  place: {
    title: 'Löschsperre setzen',
    about: 'Sie gilt sofort, auch für Datensätze, die später dazukommen. Eine andere Person muss sie aufheben.',
    scope: 'Was gesperrt wird',
    scopes: {
      record: 'Ein Datensatz',
      document_type: 'Alle Dokumente einer Art',
      record_kind: 'Alle Dokumente, Abweichungen oder CAPAs',
      affected_item: 'Ein Produkt, eine Charge oder ein Gerät',
      department: 'Eine Abteilung',
    },
    linked: 'Abweichungen dazu, mit den Dokumenten und CAPAs, die damit verknüpft sind.',
    record: 'Datensatz',
    recordHint: 'Nummer oder ein Teil des Titels',
    documentType: 'Dokumentart',
    kind: 'Datensätze',
    item: 'Produkt, Charge oder Gerät',
    itemHint: 'Wie es in den Abweichungen steht',
    department: 'Abteilung',
    choose: 'Auswählen',
    missing: 'Sagen Sie, was gesperrt wird.',
    reason: 'Begründung',
    reasonMissing: 'Geben Sie eine Begründung ein.',
    submit: 'Sperre setzen',
    done: number => `${number} gilt ab jetzt.`,
  },
  lift: {
    title: 'Die Löschsperre aufheben',
    meaning:
      'Ich hebe diese Sperre auf. Ihre Datensätze können vernichtet werden, wenn ihre Aufbewahrungsfrist abgelaufen ist.',
    intent: number => `I lift the legal hold ${number}`,
    reason: 'Begründung',
    submit: 'Unterschreiben und aufheben',
    done: number => `${number} ist aufgehoben.`,
  },
}

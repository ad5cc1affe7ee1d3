import { useLanguage } from '../../words/index.ts'

const en = {
  title: (source: string) => `Approved before migration, as recorded in ${source}`,
  note: (batch: string, person: string, moment: string) =>
    `History, not electronic signatures. Imported by ${batch}, which ${person} accepted with a signature on ${moment}.`,
  version: (label: string) => `Version ${label}`,
  undated: 'No date recorded',
  scan: (name: string) => `Scan: ${name}`,
}

const de: typeof en = {
  title: source => `Vor der Migration freigegeben, wie in ${source} aufgezeichnet`,
  note: (batch, person, moment) =>
    `Historie, keine elektronischen Unterschriften. Importiert mit ${batch}, am ${moment} von ${person} mit Unterschrift angenommen.`,
  version: label => `Version ${label}`,
  undated: 'Kein Datum aufgezeichnet',
  scan: name => `Scan: ${name}`,
}

export const useImportedWords = () => ({ en, de })[useLanguage()]

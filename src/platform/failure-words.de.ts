import type { FailureWords } from './failure-words.ts'

const german: Record<FailureWords, string> = {
  'The connection was refused': 'Die Verbindung wurde abgelehnt',
  'The connection was cut off': 'Die Verbindung ist abgebrochen',
  'Its host name is not known': 'Sein Hostname ist unbekannt',
  'Its host name cannot be looked up': 'Sein Hostname lässt sich nicht auflösen',
  'Its host cannot be reached': 'Sein Rechner ist nicht erreichbar',
  'Its network cannot be reached': 'Sein Netz ist nicht erreichbar',
  'The connection timed out': 'Die Verbindung kam nicht rechtzeitig zustande',
  'Its folder or socket is not there': 'Sein Ordner oder Socket ist nicht da',
  'Access is denied to this process': 'Dieser Prozess darf nicht darauf zugreifen',
  'It can be read, but not written to': 'Es lässt sich lesen, aber nicht beschreiben',
  'It is full': 'Der Speicher ist voll',
  'Its quota is used up': 'Das Kontingent ist ausgeschöpft',
  'Its medium reports an error': 'Der Datenträger meldet einen Fehler',
  'It refuses the log-in, or the log-in lacks rights': 'Die Anmeldung wird abgelehnt, oder ihr fehlen Rechte',
  'Its bucket is not there': 'Der Bucket ist nicht da',
  'The log-in was refused': 'Die Anmeldung wurde abgelehnt',
  'Its database is not there': 'Die Datenbank ist nicht da',
  'It has no connection left': 'Keine Verbindung ist mehr frei',
  'It is shutting down': 'Es wird gerade beendet',
  'It is recovering from a crash': 'Es stellt sich nach einem Absturz wieder her',
  'It is starting or shutting down': 'Es startet oder wird gerade beendet',
  'Its certificate or its encryption is not accepted':
    'Sein Zertifikat oder seine Verschlüsselung wird nicht angenommen',
}

/** What `failureWords` says, for a reader of German. */
export const failureWordsInGerman = (english: string): string | undefined =>
  Object.hasOwn(german, english) ? german[english as FailureWords] : undefined

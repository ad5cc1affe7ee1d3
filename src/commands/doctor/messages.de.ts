import { defineGerman } from '#kernel/message.ts'
import type { lines } from './messages.ts'

const counted = (n: number, one: string, several: string) => `${n} ${n === 1 ? one : several}`
const and = (names: readonly string[]) => names.join(' und ')

/** What the operators' page says of a check; the command line is English. */
defineGerman<typeof lines>({
  doctor_about_configuration: 'Konfiguration',
  doctor_about_storage: 'Dateispeicher',
  doctor_about_virus_scanner: 'Virenscanner',
  doctor_about_mail_server: 'Mailserver',
  doctor_about_anchors: 'Anker',
  doctor_about_embeddings: 'Embeddings',
  doctor_about_converters: 'Konverter',
  doctor_about_database: 'Datenbank',
  doctor_about_migration_login: 'Login für Migrationen',
  doctor_about_migrations: 'Migrationen',
  doctor_about_isolation: 'Mandantentrennung',
  doctor_about_installation: 'Installation',
  doctor_about_signature: 'Signaturschlüssel',
  doctor_about_audit: 'Schlüssel des Audit Trails',
  doctor_about_signing_keys: 'Schlüssel der Unterschriften',
  doctor_about_second_factors: 'zweite Faktoren',
  doctor_about_passkeys: 'Passkeys',
  doctor_about_identity_providers: 'Anbieter für Single Sign-on',
  doctor_about_first_tenant: 'erster Mandant',
  doctor_about_projections: 'Projektionen',
  doctor_about_configuration_changes: 'Änderungen der Konfiguration',
  doctor_about_texts: 'Texte der Dokumente',
  doctor_about_key_links: 'Nachfolge der Schlüssel',
  doctor_about_audit_keys: 'Schlüssel der Audit Trails',
  doctor_about_trail: ({ tenant }) => `Audit Trail von ${tenant}`,
  doctor_about_signatures: ({ tenant }) => `Unterschriften von ${tenant}`,
  doctor_about_files: ({ tenant }) => `Dateien von ${tenant}`,
  doctor_about_archives: ({ tenant }) => `Exporte von ${tenant}`,
  doctor_about_to_explain: 'zu klären',
  doctor_about_not_examined: 'nicht untersucht',

  doctor_files_without_deep: '--files gehört zu --deep',
  doctor_files_invalid: ({ given }) => `--files ist eine Zahl oder all, nicht ${given}`,
  doctor_none: 'es gibt keine',

  doctor_configuration: ({ environment, folder }) => `${environment}, Daten in ${folder}`,
  doctor_folder_unwritable: ({ variable, folder, nearest, error }) =>
    `${variable} ist ${folder}, und in ${nearest} lässt sich nicht schreiben (${error})`,
  doctor_storage_missing: ({ place }) => `${place} gibt es noch nicht; der erste Start legt es an`,
  doctor_storage_works: ({ place }) => `${place} lässt sich auflisten, schreiben, lesen und leeren`,
  doctor_virus_scanner_silent: ({ error }) => `er antwortet nicht unter CLAMAV_URL: ${error}`,
  doctor_virus_scanner_works: 'er antwortet',
  doctor_mail_server_works: 'er antwortet, und nimmt die Anmeldung an, falls er eine verlangt',
  doctor_mail_server_answers: 'er antwortet (SMTP_URL enthält keine Anmeldung)',
  doctor_anchors_work: ({ store }) =>
    `in ${store} lässt sich schreiben (audit anchor --check vergleicht die Checkpoints, die dort liegen)`,
  doctor_embeddings_installed: 'die Bibliothek ist installiert',
  doctor_converters_none: 'weder LibreOffice noch Tesseract ist installiert',
  doctor_converters_enclosed: ({ programs }) =>
    `${and(programs)} laufen in bubblewrap: sie sehen die Ordner des Systems, ihre eigene Datei und kein Netz`,
  doctor_converters_see: ({ programs, folders }) =>
    `${and(programs)} können ${and(folders)} lesen, weil bubblewrap ihnen die Ordner des Systems zeigt. Verlegen Sie die Daten aus diesen Ordnern`,
  doctor_converters_no_sandbox: ({ programs }) =>
    `${and(programs)} könnten die Schlüssel und Dateien des Dienstes lesen, weil bubblewrap nicht installiert ist. Installieren Sie es (Debian: apt-get install bubblewrap): docs/operations.md, Converters`,
  doctor_converters_sandbox_refused: ({ programs, reason }) =>
    `${and(programs)} könnten die Schlüssel und Dateien des Dienstes lesen, weil bubblewrap hier nicht arbeiten darf (${reason}). Erlauben Sie User-Namespaces: docs/operations.md, Converters`,

  doctor_database_missing: 'es gibt noch keine; der erste Start legt sie an',
  doctor_database_in_use:
    'der Dienst läuft auf diesen Daten. Halten Sie ihn zuerst an, oder nehmen Sie GET /api/health',
  doctor_database_wrong_login: ({ login }) => `der Login ist ${login}, er muss attest_app sein`,
  doctor_database_embedded: ({ version }) => `PostgreSQL ${version}`,
  doctor_database_plain: ({ version }) => `PostgreSQL ${version}, die Verbindung ist nicht verschlüsselt`,
  doctor_database_encrypted: ({ version, tls, is_verified }) =>
    `PostgreSQL ${version}, verschlüsselt mit ${tls}, das Zertifikat des Servers ist ${is_verified ? 'geprüft' : 'NICHT geprüft'}`,
  doctor_migration_login: 'attest_owner',
  doctor_migration_login_wrong: ({ login }) =>
    `MIGRATION_DATABASE_URL meldet sich als ${login} an, es muss attest_owner sein`,
  doctor_migrations_applied: 'alle sind angewendet',
  doctor_migrations_waiting: ({ missing }) => `${missing}; der nächste Start oder qms migrate wendet sie an`,
  doctor_migrations_missing: ({ missing, remedy }) => `${missing}: ${remedy}`,
  doctor_isolation: ({ checks, functions }) =>
    `${checks} Prüfungen fanden kein Recht, keine Policy, keinen Schlüssel und keine Sicht, womit attest_app einen anderen Mandanten erreicht. Was die ${functions} Funktionen tun, die mit den Rechten ihres Eigners laufen, wurde nicht gelesen`,

  doctor_installation: ({ installation }) => `Datenbank, Dateispeicher und Schlüssel gehören zu ${installation}`,
  doctor_installation_new: 'sie hat noch keine Identität; der erste Start legt sie an',
  doctor_key_known: ({ key }) => `${key} ist der Datenbank bekannt`,
  doctor_key_new: ({ key }) => `der erste Start trägt ${key} in die Datenbank ein`,
  doctor_key_missing: 'es gibt noch keinen; der erste Start legt ihn an',
  doctor_key_rotation_unfinished: ({ command }) =>
    `ein Schlüsselwechsel ist nicht abgeschlossen: führen Sie ${command} noch einmal aus`,
  doctor_signing_keys_known: ({ count }) => `alle ${count} sind von diesem Dienst`,
  doctor_signing_keys_unknown: ({ keys }) =>
    `kein Schlüssel dieses Dienstes hat ${keys.join(', ')} bestätigt: Unterschriften mit einem solchen Schlüssel werden abgelehnt. Finden Sie heraus, wer ihn in die Datenbank brachte. Ist es ein früherer Schlüssel dieses Dienstes, führen Sie signing-key confirm aus`,
  doctor_sealed: ({ count, has_previous }) =>
    `alle ${count} lassen sich mit SECRET_KEY öffnen${has_previous ? '. SECRET_KEY_PREVIOUS kann entfernt werden' : ''}`,
  doctor_second_factors_unreadable: ({ count, has_previous }) =>
    `${count} lassen sich mit SECRET_KEY${has_previous ? ' oder SECRET_KEY_PREVIOUS nicht öffnen. Setzen Sie sie zurück' : ' nicht öffnen. Geben Sie den früheren Schlüssel als SECRET_KEY_PREVIOUS an, oder setzen Sie sie zurück'} (docs/operations.md, A new SECRET_KEY)`,
  doctor_passkeys_unreadable: ({ count, has_previous }) =>
    `${count} wurden verändert oder mit einem anderen SECRET_KEY registriert${has_previous ? '. Lassen Sie sie widerrufen und neu registrieren' : '. Geben Sie den früheren Schlüssel als SECRET_KEY_PREVIOUS an, oder lassen Sie sie widerrufen und neu registrieren'} (docs/operations.md, A new SECRET_KEY)`,
  doctor_providers: ({ count, has_previous }) =>
    `alle ${count} Geheimnisse, Einstellungen und Verknüpfungen lassen sich mit SECRET_KEY öffnen${has_previous ? '. SECRET_KEY_PREVIOUS kann entfernt werden' : ''}`,
  doctor_provider_secrets_unreadable: ({ count, has_previous }) =>
    `${count} Client-Secrets lassen sich mit SECRET_KEY${has_previous ? ' oder SECRET_KEY_PREVIOUS nicht öffnen. Bestätigen Sie die Einstellungen ihrer Anbieter und geben Sie die Secrets neu ein' : ' nicht öffnen. Geben Sie den früheren Schlüssel als SECRET_KEY_PREVIOUS an, oder bestätigen Sie die Einstellungen ihrer Anbieter und geben Sie die Secrets neu ein'} (docs/operations.md, A new SECRET_KEY)`,
  doctor_provider_links_unreadable: ({ count, has_previous }) =>
    `${count} Verknüpfungen von Benutzern wurden nicht von diesem Dienst angelegt, wurden verändert oder mit einem anderen SECRET_KEY versiegelt${has_previous ? '' : ' (geben Sie den früheren Schlüssel als SECRET_KEY_PREVIOUS an)'}. Finden Sie heraus, wer sie schrieb, und lassen Sie Admins sie entfernen und neu anlegen`,
  doctor_providers_altered: ({ providers }) =>
    `die Einstellungen von ${providers.join(', ')} wurden am Dienst vorbei geändert. Finden Sie heraus, wer in die Datenbank schrieb, vergleichen Sie die Einstellungen mit dem Audit Trail, und bestätigen Sie sie (docs/sign-in.md, Altered settings)`,
  doctor_sealed_previous: ({ count }) =>
    `${count} sind noch mit SECRET_KEY_PREVIOUS versiegelt. Führen Sie secret-key reseal aus, sobald jeder Host SECRET_KEY hat`,

  doctor_first_tenant: ({ tenant, admin }) => `der erste Start legt ${tenant} mit dem Admin ${admin} an`,
  doctor_first_tenant_exists:
    'es gibt schon einen Mandanten, deshalb wirken die Variablen BOOTSTRAP_ nicht. Entfernen Sie sie, vor allem BOOTSTRAP_ADMIN_PASSWORD',
  doctor_first_tenant_password_in_use: ({ username }) =>
    `es gibt schon einen Mandanten, deshalb wirken die Variablen BOOTSTRAP_ nicht. Entfernen Sie sie, vor allem BOOTSTRAP_ADMIN_PASSWORD: es ist noch das Passwort von ${username}, das geändert werden sollte`,
  doctor_projections_match: ({ names, not_compared }) =>
    `${names.join(', ')} stimmen mit den Datensätzen jedes Mandanten überein (qms projections check vergleicht auch ${not_compared.join(', ')})`,
  doctor_projections_too_long: ({ seconds }) =>
    `sie wurden nicht alle innerhalb von ${seconds} s verglichen, und über sie ist nichts gesagt: führen Sie qms projections check aus`,
  doctor_configuration_approved: 'eine andere Person genehmigt sie in jedem aktiven Mandanten',
  doctor_configuration_unapproved: ({ tenants }) =>
    `eine Person allein kann sie vornehmen in ${tenants.join(', ')}, wo die Einstellung configuration_needs_approval aus ist`,
  doctor_texts_read: 'keiner wartet darauf, gelesen zu werden, keiner ist gescheitert oder veraltet',
  doctor_texts_outdated: ({ count }) =>
    `${count} wurden von einem älteren Programm gelesen (qms reindex liest sie noch einmal)`,
  doctor_texts_failed: ({ count }) => `${count} lassen sich nicht lesen (qms reindex --failed versucht es noch einmal)`,
  doctor_texts_waiting: ({ count }) => `${count} sind noch zu lesen`,

  doctor_records_not_reached: 'alles, was in der Datenbank steht, die nicht antwortet',
  doctor_not_deep: 'Unterschriften, Audit Trails und gespeicherte Dateien (doctor --deep untersucht sie)',
  doctor_deep_not_reached: 'Unterschriften, Audit Trails und gespeicherte Dateien',
  doctor_beyond_sample: 'die gespeicherten Dateien außerhalb der Stichprobe (--files all liest jede Datei)',
  doctor_beyond_replaced_trail:
    'ob ein ganzer Audit Trail durch einen anderen ersetzt wurde, der mit seinem Schlüssel unterzeichnet ist (audit anchor --check vergleicht, was anderswo liegt)',
  doctor_beyond_details:
    'die Einzelheiten geschwärzter Einträge des Audit Trails, noch nicht versiegelte Einträge, Sicherungen, und die Projektionen, die projections check liest',
  doctor_more: ({ count }) => `${count} weitere`,
  doctor_more_at_least: ({ count }) => `${count} oder mehr weitere`,

  doctor_key_links: ({ keys, links, told }) => {
    const found = `${counted(keys, 'Schlüssel', 'Schlüssel')}, jeder mit der Kennung seines öffentlichen Schlüssels`
    if (links === 0) return found
    const [of, rest] =
      told === links
        ? ['', '']
        : [`${told} von ${links} `, '. Von den übrigen können Einträge berichten, deren Einzelheiten geschwärzt wurden']
    return `${found}; ${counted(links, 'Verbindung', 'Verbindungen')} zwischen ihnen, von ihren Schlüsseln versiegelt und ${of}im Audit Trail der Plattform berichtet${rest}`
  },
  doctor_key_replaced: ({ key }) =>
    `der Schlüssel ${key} wurde ersetzt: seine Kennung ist nicht die dieses öffentlichen Schlüssels`,
  doctor_key_link_unsealed: ({ previous, next }) =>
    `die Verbindung von ${previous} zu ${next} ist nicht von diesen Schlüsseln versiegelt`,
  doctor_key_link_untold: ({ previous, next }) =>
    `der Audit Trail berichtet nichts von der Verbindung von ${previous} zu ${next}`,
  doctor_audit_keys: ({ count }) =>
    `${counted(count, 'Schlüssel', 'Schlüssel')}, jeder vorhanden oder in einem Audit Trail berichtet`,
  doctor_audit_keys_none: 'es gibt noch keinen',
  doctor_audit_key_untold: ({ key }) =>
    `kein Audit Trail berichtet vom Schlüssel ${key}: finden Sie heraus, wer ihn hinzufügte oder ersetzte`,
  doctor_audit_key_absent: 'nicht untersucht, weil kein Schlüssel des Audit Trails vorhanden ist',
  doctor_trail: ({ entries, checkpoints }) =>
    `${counted(entries, 'versiegelter Eintrag', 'versiegelte Einträge')} und ${counted(checkpoints, 'Checkpoint', 'Checkpoints')} geprüft`,
  doctor_trail_waiting: ({ entries, checkpoints, waiting }) =>
    `${counted(entries, 'versiegelter Eintrag', 'versiegelte Einträge')} und ${counted(checkpoints, 'Checkpoint', 'Checkpoints')} geprüft; ${
      waiting === 1
        ? '1 wartet auf die Versiegelung und wurde'
        : `${waiting === 100 ? '100 oder mehr' : waiting} warten auf die Versiegelung und wurden`
    } nicht geprüft`,
  doctor_trail_fault: ({ entry, place, fault }) =>
    `${entry === null ? '' : `Eintrag ${entry}: `}${place === null ? '' : `Stelle ${place}: `}${fault}`,
  doctor_signatures: ({ verified, of }) => `${verified} von ${of} geprüft, jede durch ihre zehn Prüfungen`,
  doctor_signatures_of_removed: ({ verified, of, without }) =>
    `${verified} von ${of} geprüft, jede durch ihre zehn Prüfungen. ${without} davon gelten einer Datei, die zwei Personen entfernten und die nicht verglichen wurde`,
  doctor_about_removals: ({ tenant }) => `entfernte Dateien von ${tenant}`,
  doctor_removal: ({ id, statement }) => `Entfernung ${id}: ${statement}`,
  doctor_removal_without_storage: ({ id, statement }) =>
    `Entfernung ${id}: ${statement}. Ob der Speicher die Datei noch hat, wurde nicht untersucht, weil der Speicher ausfällt`,
  doctor_removal_content_there: ({ id, statement }) =>
    `Entfernung ${id}: ${statement}. Ihr Inhalt liegt noch im Speicher, oder nach einer Wiederherstellung wieder. Der Dienst löscht ihn binnen eines Tages; tut er es nicht, steht der Grund in seinem Log`,
  doctor_signature_fault: ({ id, of, faults }) => `Unterschrift ${id} unter ${of}: ${faults.join('; ')}`,
  doctor_signatures_without_key: ({ count }) =>
    `${count} Unterschriften nennen einen Schlüssel, der fehlt, und wurden nicht geprüft`,
  doctor_signing_key_absent: ({ count }) =>
    `${count} nicht untersucht, weil kein Schlüssel der Unterschriften vorhanden ist`,
  doctor_storage_failing: ({ count }) => `${count} nicht untersucht, weil der Speicher ausfällt`,
  doctor_archives: ({ found, of }) =>
    `${found} von ${of} Archiven im Dateispeicher, jedes mit seiner verzeichneten Größe`,
  doctor_archives_read: ({ found, of }) =>
    `${found} von ${of} Archiven im Dateispeicher, jedes gelesen, mit seiner verzeichneten Größe und SHA-256`,
  doctor_files: ({ read, of }) => `${read} von ${of} gelesen, jede mit ihrer verzeichneten Größe und SHA-256`,
  doctor_files_sampled: ({ read, of }) =>
    `${read} von ${of} gelesen, jede mit ihrer verzeichneten Größe und SHA-256: eine Zufallsstichprobe`,
})

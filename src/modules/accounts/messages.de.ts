import { day } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  login_failed: 'Benutzername, Passwort oder Code ist falsch.',
  api_key_not_accepted:
    'Dieser API-Schlüssel wird nicht angenommen. Bitten Sie den Eigner des Dienstkontos um einen anderen.',
  service_account_cannot_sign: 'Ein Dienstkonto kann nicht unterschreiben. Das muss eine Person tun.',
  system_cannot_sign: 'Das System kann nicht unterschreiben. Das muss eine Person tun.',
  login_not_recent: ({ minutes }) =>
    `Dafür braucht es eine Anmeldung der letzten ${minutes} Minuten. Melden Sie sich noch einmal an.`,
  token_no_longer_valid: 'Das Token gilt nicht mehr. Melden Sie sich noch einmal an.',
  session_ended_login_again: 'Ihre Sitzung ist beendet. Melden Sie sich noch einmal an.',
  session_idle: 'Ihre Sitzung wurde beendet, weil sie nicht benutzt wurde. Melden Sie sich noch einmal an.',
  password_incorrect: 'Das Passwort ist falsch.',
  password_for_change_required:
    'Geben Sie für diese Änderung Ihres Kontos Ihr Passwort ein, oder melden Sie sich noch einmal an.',
  password_changed_meanwhile: 'Ihr Passwort wurde zur selben Zeit geändert. Melden Sie sich mit dem neuen Passwort an.',

  preferences_too_large: ({ size, maximum }) =>
    `Ihre Einstellungen bräuchten ${size} Byte, und ${maximum} sind das Höchste. Löschen Sie eine gespeicherte Ansicht.`,
  preferences_too_deep: ({ maximum }) => `Einstellungen dürfen ${maximum} Ebenen tief verschachtelt sein.`,

  password_link_ended: 'Dieser Link gilt nicht mehr. Fordern Sie einen neuen an.',
  password_link_by_mail:
    'Benutzer erhalten hier per E-Mail einen Link, um ihr eigenes Passwort zu wählen. Lassen Sie temporary_password weg.',
  mail_not_set_up: 'Dieser Dienst sendet keine E-Mails. Bitten Sie einen Admin um ein vorläufiges Passwort.',
  temporary_password_missing: 'Dieser Dienst sendet keine E-Mails, geben Sie deshalb ein vorläufiges Passwort ein.',
  invitation_not_open: ({ username }) =>
    `${username} hat schon ein Passwort gewählt. Setzen Sie stattdessen das Passwort zurück.`,
  invitation_none: ({ username }) => `${username} hat keine Einladung, die sich zurückziehen lässt.`,
  list_empty: 'Die Liste nennt niemanden. Fügen Sie unter den Namen der Spalten für jede Person eine Zeile hinzu.',
  list_column_missing: ({ column }) => `Die erste Zeile der Liste hat keine Spalte ${column}. Fügen Sie sie hinzu.`,
  list_column_unknown: ({ column, known }) =>
    `Die Liste hat eine Spalte ${column}. Verwenden Sie nur diese, jede einmal: ${known.join(', ')}.`,
  list_too_long: ({ people, maximum }) =>
    `Die Liste nennt ${people} Personen, und eine Liste darf ${maximum} nennen. Teilen Sie sie.`,
  list_line_too_long: ({ columns }) => `Diese Zeile hat mehr als die ${columns} Werte der ersten.`,
  list_formula:
    'Ein Tabellenprogramm würde dies für eine Formel halten. Lassen Sie es mit einem Buchstaben oder einer Ziffer beginnen.',
  list_control_character:
    'Darin steht ein Zeilenumbruch, ein Tabulator oder ein anderes Steuerzeichen. Entfernen Sie es.',
  list_named_twice: ({ line }) => `Zeile ${line} hat dasselbe. Nennen Sie jede Person einmal.`,
  list_role_unknown: ({ role }) => `Die Rolle ${role} gibt es nicht. Geben Sie den Namen einer Rolle ein.`,
  list_person_known: ({ username }) => `${username} hat dies schon. Lassen Sie die Zeile weg.`,
  list_more_issues: ({ more }) => `${more} weitere Werte sind nicht gültig. Berichtigen Sie zuerst diese.`,
  user_address_changed_recently: ({ until }) =>
    `Die E-Mail-Adresse dieses Benutzers wurde vor weniger als 24 Stunden geändert. Setzen Sie das Passwort nach ${day(until)} zurück.`,
  too_many_failed_logins: ({ minutes }) =>
    `Aus Ihrem Netz sind zu viele Anmeldungen fehlgeschlagen. Versuchen Sie es in ${minutes} Minuten noch einmal.`,
  too_many_link_requests: ({ minutes }) =>
    `Aus Ihrem Netz wurden zu viele Links angefordert. Versuchen Sie es in ${minutes} Minuten noch einmal.`,

  second_factor_already_enrolled:
    'Sie haben schon einen zweiten Faktor. Entfernen Sie ihn, bevor Sie einen anderen einrichten.',
  second_factor_not_begun: 'Sie haben nicht begonnen, einen zweiten Faktor einzurichten. Beginnen Sie zuerst damit.',
  second_factor_code_incorrect:
    'Geben Sie den aktuellen Code ein. Wird er wieder abgelehnt, prüfen Sie die Uhr Ihres Geräts.',
  second_factor_missing: 'Sie haben keinen zweiten Faktor, der sich entfernen lässt.',

  signing_full_name_missing:
    'Sie haben noch keinen vollen Namen, und jede Unterschrift zeigt einen. Bitten Sie einen Admin, ihn einzutragen (PUT /api/users/{id}), und unterschreiben Sie dann.',
  signing_identity_not_verified:
    'Ihre Identität hat noch niemand geprüft. Bitten Sie einen Admin, sie zu prüfen, bevor Sie unterschreiben.',
  signing_identity_reset:
    'Ihr Passwort wurde zurückgesetzt, deshalb muss eine andere Person Ihre Identität prüfen, bevor Sie unterschreiben. Bitten Sie einen Admin oder QA Manager, der Ihr Konto weder angelegt noch zurückgesetzt hat.',
  signing_second_factor_missing:
    'Unterschriften verlangen hier einen zweiten Faktor, und Sie haben keinen. Richten Sie zuerst einen ein.',
  signing_statement_not_accepted: ({ version }) =>
    `Stimmen Sie Fassung ${version} der Erklärung zu, bevor Sie unterschreiben.`,
  signing_password_required: 'Geben Sie zum Unterschreiben Ihr Passwort ein.',
  signing_password_and_code_required:
    'Geben Sie zum Unterschreiben Ihr Passwort und den Code Ihres zweiten Faktors ein.',
  signing_password_or_code_incorrect: 'Passwort oder Code ist falsch.',
  signing_code_already_used: 'Dieser Code wurde schon verwendet. Warten Sie auf den nächsten.',
  signing_method_not_accepted: ({ methods }) =>
    `Unterschriften mit diesem Nachweis der Identität werden hier nicht angenommen. Nehmen Sie einen von diesen: ${methods.join(', ')}.`,
  signing_methods_of_nobody: ({ methods }) =>
    `Niemand könnte hier mit ${methods.join(' oder ')} unterschreiben. Lassen Sie zuerst Passkeys registrieren oder zweite Faktoren einrichten.`,
  signing_proofs_two: 'Senden Sie entweder das Passwort oder eine Aufforderung zur Unterschrift.',
  signing_challenge_refused:
    'Dieser Nachweis Ihrer Identität zählt für diese Anfrage nicht, oder nicht mehr. Beginnen Sie die Unterschrift noch einmal.',
  signing_provider_second_factor_missing:
    'Ihre Firma verlangt für jede Unterschrift einen zweiten Faktor, und der Anbieter hat keinen genannt. Unterschreiben Sie mit einem Passkey, oder mit dem Passwort und einem Code.',
  signing_act_unknown:
    'Keine Anfrage, die unterschrieben wird, hat diese Methode und diesen Pfad. Nennen Sie eine, die eine Aufforderung zur Unterschrift annimmt.',
  signing_act_not_signed: ({ path }) =>
    `${path} braucht so keinen Nachweis Ihrer Identität. Senden Sie es ohne Aufforderung zur Unterschrift.`,
  signature_statement_none: 'Es gibt keine Erklärung zur Unterschrift, der Sie zustimmen könnten.',
  signature_statement_outdated: ({ version }) =>
    `Die Erklärung zur Unterschrift ist jetzt in Fassung ${version}. Lesen Sie diese Fassung, und stimmen Sie ihr zu.`,
  signature_statement_already_accepted: 'Sie haben dieser Fassung schon zugestimmt.',

  username_or_email_taken:
    'Dieser Benutzername oder diese E-Mail-Adresse kann nicht verwendet werden. Wählen Sie etwas anderes.',
  email_taken: 'Diese E-Mail-Adresse kann nicht verwendet werden. Wählen Sie eine andere.',
  user_own_identity: 'Sie können Ihre eigene Identität nicht prüfen. Bitten Sie einen anderen Admin.',
  user_identity_by_opener:
    'Sie haben dieses Konto angelegt, sein Passwort zurückgesetzt oder seine E-Mail-Adresse geändert. Bitten Sie eine andere Person mit der Berechtigung users.verify_identity.',
  user_identity_verifier_reset:
    'Ihre eigene Identität wurde nicht geprüft, seit Ihr Passwort zurückgesetzt wurde. Bitten Sie eine andere Person mit der Berechtigung users.verify_identity.',
  user_identity_verifier_too_new:
    'Ihr Konto ist neuer als die Zurücksetzung dieses Kontos. Bitten Sie eine andere Person mit der Berechtigung users.verify_identity.',
  user_must_change_password:
    'Sie haben dieses Passwort gesetzt, deshalb muss der Benutzer es ändern. Lassen Sie must_change_password weg.',
  user_own_role: 'Sie können Ihre eigene Rolle nicht ändern. Bitten Sie einen anderen Admin.',
  user_own_permissions: 'Sie können Ihre eigenen Berechtigungen nicht ändern. Bitten Sie einen anderen Admin.',
  user_own_deactivation: 'Sie können Ihr eigenes Konto nicht deaktivieren. Bitten Sie einen anderen Admin.',
  user_own_password_reset: 'Sie können Ihr eigenes Passwort nicht zurücksetzen. Ändern Sie es stattdessen.',
  user_is_last_admin: ({ username }) =>
    `${username} ist der letzte aktive Admin. Geben Sie zuerst jemand anderem die Rolle Admin.`,
  user_log_in_details_permission_missing:
    'Sie brauchen die Berechtigung users.manage oder users.read_logins, um danach zu filtern oder zu sortieren, wie Menschen sich anmelden.',
  user_role_permission_missing: 'Sie brauchen die Berechtigung roles.assign, um eine andere Rolle als User zu geben.',
  user_already_active: ({ username }) => `${username} ist schon aktiv.`,
  user_already_deactivated: ({ username }) => `${username} ist schon deaktiviert.`,

  synonym_needs_two_names: 'Geben Sie mindestens zwei Namen derselben Sache ein, getrennt durch |.',
  report_taker_ambiguous: 'Wählen Sie entweder eine Person oder eine Gruppe, die diese Meldungen annimmt.',
  deviation_form_inactive: ({ name }) =>
    `Das Formular ${name} ist nicht in Gebrauch. Wählen Sie ein anderes, oder nehmen Sie es wieder in Gebrauch.`,
  retention_of_records_shortened_without_reason:
    'Geben Sie einen Grund an: Mit einer kürzeren Aufbewahrungsfrist werden angehängte Dateien früher zur Vernichtung fällig.',
  number_pattern_wrong:
    'Schreiben Sie Großbuchstaben und Ziffern, {department} oder {year}, getrennt durch - . oder _, und zuletzt die Ziffern der Nummer: SOP-{department}-{year}-{0000}.',
  number_pattern_of_records_wrong:
    'Schreiben Sie Großbuchstaben und Ziffern oder {year}, getrennt durch - . oder _, und zuletzt die Ziffern der Nummer: DEV-{year}-{0000}.',
  number_pattern_of_type: ({ pattern, name, other }) =>
    `${pattern} kann dieselben Nummern ergeben wie ${other} der Dokumentart ${name}. Wählen Sie ein anderes Muster.`,
  number_pattern_of_records: ({ pattern, other }) =>
    `${pattern} kann dieselben Nummern ergeben wie ${other} anderer Datensätze. Wählen Sie ein anderes Muster.`,
  time_zone_unknown: 'Geben Sie eine Zeitzone der IANA-Datenbank ein, wie Europe/Berlin.',
  sso_password_not_used:
    'Ihre Firma verlangt Single Sign-on, deshalb werden keine Passwörter benutzt. Lassen Sie die Person sich über den Anbieter anmelden.',
  sso_required_by_password:
    'Melden Sie sich über einen aktiven Anbieter Ihrer Firma an, bevor Sie Single Sign-on verlangen: Das zeigt, dass der Anbieter funktioniert.',
  sso_required_without_break_glass:
    'Single Sign-on kann verlangt werden, wenn es ein Notfallkonto mit zweitem Faktor gibt. Richten Sie zuerst eines ein.',
  break_glass_last:
    'Dies ist das letzte Notfallkonto, das Zugang hat, und Single Sign-on wird verlangt. Richten Sie zuerst ein anderes ein.',
  break_glass_fixed:
    'Dies ist ein Notfallkonto, das Admin bleibt. Beenden Sie das, bevor Sie Rolle oder Berechtigungen ändern.',
  break_glass_too_many: ({ maximum }) => `Es gibt schon ${maximum} Notfallkonten. Beenden Sie zuerst eines davon.`,
  break_glass_not_ready:
    'Ein Notfallkonto ist aktiv, hat die Rolle Admin, ein Passwort und einen zweiten Faktor. Vervollständigen Sie zuerst das Konto.',
  break_glass_linked:
    'Dieses Konto ist mit einem Anbieter verknüpft. Entfernen Sie zuerst die Verknüpfung: Ein Notfallkonto hängt von keinem Anbieter ab.',
  break_glass_tried:
    'Es ist keine Erinnerung fällig: Das Konto wurde ausprobiert, oder jemand wurde schon daran erinnert.',
  break_glass_unchanged: 'Es würde sich nichts ändern: Das Konto ist schon so.',
  tenant_slug_taken: ({ slug }) =>
    `Einen Mandanten mit dem Kürzel ${slug} gibt es schon. Wählen Sie ein anderes Kürzel.`,
  registration_not_set_up:
    'Die Registrierung ist nicht eingerichtet. Setzen Sie REGISTRATION_TENANT auf das Kürzel eines aktiven Mandanten.',
})

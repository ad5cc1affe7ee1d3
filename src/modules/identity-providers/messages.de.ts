import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  sso_public_url_missing:
    'Single Sign-on braucht die Adresse des Dienstes. Bitten Sie den Betreiber, PUBLIC_URL zu setzen.',
  identity_provider_slug_taken: ({ slug }) =>
    `Einen Anbieter mit dem Kürzel ${slug} gibt es schon. Wählen Sie ein anderes Kürzel.`,
  identity_provider_client_taken: 'Einen Anbieter mit diesem Issuer und Client gibt es schon. Ändern Sie diesen.',
  identity_provider_unreachable: ({ failure }) =>
    `Die Metadaten des Anbieters konnten nicht gelesen werden (${failure}). Prüfen Sie den Issuer, und ob dieser Dienst ihn erreichen darf.`,
  identity_provider_metadata_malformed:
    'Der Issuer antwortet mit etwas, das keine Metadaten von OpenID Connect ist. Prüfen Sie den Issuer.',
  identity_provider_issuer_other: ({ issuer }) => `Die Metadaten gehören zum Issuer ${issuer}. Geben Sie diesen ein.`,
  identity_provider_code_flow_missing:
    'Der Anbieter bietet den Authorization Code Flow nicht an. Erlauben Sie ihn dort für diesen Client.',
  identity_provider_algorithms_missing: ({ allowed }) =>
    `Der Anbieter unterschreibt mit keinem von ${allowed.join(', ')}. Wählen Sie beim Anbieter eines davon.`,
  identity_provider_secret_missing:
    'Geben Sie das Client Secret ein. Es gilt für einen Issuer und Client, und kein anderer bekommt es.',
  identity_provider_secret_needless:
    'Mit private_key_jwt erzeugt der Dienst seinen eigenen Schlüssel, und kein Secret wird eingegeben. Lassen Sie es weg, oder wählen Sie ein anderes token_auth.',
  identity_provider_key_not_used:
    'Dieser Anbieter benutzt keinen Schlüssel. Setzen Sie token_auth auf private_key_jwt.',
  identity_provider_key_not_taken:
    'Der Anbieter nimmt kein private_key_jwt an. Erlauben Sie es dort, oder wählen Sie ein anderes token_auth.',
  identity_provider_scope_missing: 'Zu den Scopes gehört openid.',
  identity_provider_needed:
    'Single Sign-on wird verlangt, und kein anderer Anbieter ist aktiv. Schalten Sie zuerst einen anderen ein, oder verlangen Sie es nicht mehr.',
  identity_provider_altered:
    'Die Einstellungen dieses Anbieters wurden an diesem Dienst vorbei geändert, oder mit einem Schlüssel gesichert, den er nicht mehr hat. Vergleichen Sie sie mit dem Audit Trail, und bestätigen Sie sie mit confirm-settings.',
  identity_provider_not_altered:
    'Die Einstellungen dieses Anbieters sind wie gespeichert. Es gibt nichts zu bestätigen.',
  identity_provider_inactive: 'Dieser Anbieter ist abgeschaltet. Schalten Sie ihn zuerst ein.',
  identity_provider_signing_untested:
    'Noch hat niemand geprüft, ob dieser Anbieter bei jeder Unterschrift eine neue Anmeldung verlangt. Tun Sie das zuerst mit test-signing.',
  identity_provider_signs_alone: ({ methods }) =>
    `Unterschriften werden nur mit ${methods.join(' oder ')} angenommen, und ohne diesen Anbieter könnte niemand unterschreiben. Nehmen Sie zuerst einen anderen Nachweis an (signature_methods), oder lassen Sie über einen anderen Anbieter unterschreiben.`,
  identity_provider_cannot_sign:
    'Ihr Konto ist mit keinem Anbieter verknüpft, über den Sie unterschreiben dürfen. Unterschreiben Sie mit einem Passkey oder mit Ihrem Passwort.',
  identity_provider_no_second_factor:
    'Jede Unterschrift braucht hier einen zweiten Faktor, und niemand hat eingetragen, wie der Anbieter ihn nennt. Bitten Sie einen Admin, provider_mfa_values zu setzen, oder unterschreiben Sie mit einem Passkey.',
  identity_taken:
    'Dieses Subject des Anbieters ist mit einem anderen Benutzer verknüpft. Entfernen Sie zuerst diese Verknüpfung.',
  identity_user_linked: 'Der Benutzer ist mit diesem Anbieter schon verknüpft. Entfernen Sie zuerst diese Verknüpfung.',
  identity_last_way_in:
    'Ohne diese Verknüpfung könnten Sie sich nicht mehr anmelden. Verknüpfen Sie zuerst einen anderen Anbieter, oder, wo Single Sign-on nicht verlangt wird, bitten Sie um ein Passwort oder registrieren Sie einen Passkey.',
  identity_of_break_glass:
    'Dies ist ein Notfallkonto, das von keinem Anbieter abhängt. Beenden Sie das, bevor Sie es verknüpfen.',
  mapping_repeated:
    'Dieselbe Gruppe ist zweimal derselben Rolle oder Gruppe zugeordnet. Entfernen Sie einen der Einträge.',
  mapping_ambiguous: 'Eine Zuordnung gibt entweder eine Rolle oder eine Gruppe.',
  logout_token_refused: 'Das Logout-Token ist nicht gültig, oder wurde schon verwendet.',
  sso_domain_taken: 'Diese Domain steht schon auf Ihrer Liste.',
  sso_domain_not_proven: ({ domain, text }) =>
    `Im DNS steht bei ${domain} noch kein Text ${text}. Fügen Sie ihn als TXT-Eintrag hinzu, und versuchen Sie es in einigen Minuten noch einmal.`,
  sso_domain_already_verified: ({ domain }) => `${domain} ist schon bestätigt.`,
})

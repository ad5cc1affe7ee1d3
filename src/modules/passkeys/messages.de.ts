import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  passkeys_not_set_up: 'Passkeys sind hier nicht eingerichtet. Bitten Sie einen Betreiber, PUBLIC_URL zu setzen.',
  passkey_refused: 'Dieser Passkey wurde nicht angenommen. Beginnen Sie die Registrierung noch einmal.',
  passkey_too_many: ({ most }) => `Sie haben schon ${most} Passkeys. Widerrufen Sie zuerst einen.`,
  passkey_password_temporary: 'Ihr Passwort ist vorläufig. Ändern Sie es, bevor Sie einen Passkey registrieren.',
  passkey_identity_reset:
    'Ihr Passwort wurde zurückgesetzt, deshalb muss eine andere Person Ihre Identität prüfen, bevor Sie einen Passkey registrieren. Bitten Sie einen Admin oder QA Manager, der Ihr Konto weder angelegt noch zurückgesetzt hat.',
  passkey_none_to_sign:
    'Sie haben keinen Passkey, mit dem Sie hier unterschreiben können. Registrieren Sie zuerst einen.',
  passkey_none_device_bound:
    'Ihre Passkeys lassen sich zwischen Geräten kopieren, und hier unterschreiben nur Passkeys, die auf ihrem Gerät bleiben. Registrieren Sie einen auf einem Sicherheitsschlüssel.',
  passkey_proof_refused: 'Ihr Passkey hat dies nicht bestätigt. Beginnen Sie die Unterschrift noch einmal.',
})

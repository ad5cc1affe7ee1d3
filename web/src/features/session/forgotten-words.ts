import { wordsIn } from '../../words/index.ts'

const en = {
  title: 'Forgotten password',
  hint: 'You get an e-mail with a link to choose a new one.',
  submit: 'Send the link',
  sent: 'If there is such an account, an e-mail is on its way. Its link works once, within 30 minutes.',
  byAdmin: 'This service sends no e-mail. Ask an administrator of your company for a temporary password.',
  back: 'Back to the log-in',
}

const de: typeof en = {
  title: 'Passwort vergessen',
  hint: 'Sie erhalten eine E-Mail mit einem Link, um ein neues zu wählen.',
  submit: 'Link senden',
  sent: 'Wenn es dieses Konto gibt, ist eine E-Mail unterwegs. Ihr Link gilt einmal, innerhalb von 30 Minuten.',
  byAdmin:
    'Dieser Dienst sendet keine E-Mails. Bitten Sie einen Administrator Ihrer Firma um ein vorläufiges Passwort.',
  back: 'Zurück zur Anmeldung',
}

/** What the page for a forgotten password says. */
export const useForgottenWords = wordsIn({ en, de })

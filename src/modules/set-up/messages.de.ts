import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  setup_code_refused:
    'Dieser Einrichtungscode gilt nicht. Der Dienst schreibt ihn beim Start in sein Log; er gilt einmal, 24 Stunden lang. Starten Sie den Dienst neu, um einen anderen zu erhalten.',
  first_start_over:
    'Diese Installation hat schon ein Unternehmen. Melden Sie sich an, oder bitten Sie einen Admin Ihres Unternehmens um ein Konto.',
  set_up_no_author: 'Niemand hat eine Rolle, die Dokumente schreiben und einreichen darf.',
  test_mail_not_set_up:
    'Diese Installation versendet keine E-Mails. Wer sie betreibt, setzt SMTP_URL und MAIL_FROM und startet sie neu.',
})

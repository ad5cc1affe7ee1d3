import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  setup_code_refused:
    'This setup code does not work. The service prints it in its log at the start; it works once, within 24 hours. Restart the service for another one.',
  first_start_over: 'This installation has a company already. Log in, or ask an Admin of your company for an account.',
  set_up_no_author: 'Nobody has a role that may write and submit documents.',
  test_mail_not_set_up:
    'This installation sends no e-mail. Its operator sets SMTP_URL and MAIL_FROM, and starts it again.',
})

/** Reasons that the program gives in the audit trail. */
export const reasons = defineMessages({
  reason_setup_code_refused: 'Not a setup code that works',
})

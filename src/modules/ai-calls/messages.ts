import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  assistant_not_configured: 'The assistant is switched off in this installation.',
  assistant_switched_off: 'The assistant is switched off by the settings of your company.',
  assistant_tokens_used_up: ({ renewed_at }: { renewed_at: string }) =>
    `Your company has used up its monthly tokens for the assistant, or too few are left for this request. The next month begins at ${renewed_at}.`,
  assistant_budget_used_up: ({ renewed_at }: { renewed_at: string }) =>
    `Your company has used up its monthly budget for the assistant, or too little is left for this request. The next month begins at ${renewed_at}.`,
  assistant_call_abandoned: 'The assistant took too long. Try again.',
  assistant_call_ended: 'The call to the assistant has already ended.',
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_call_abandoned: 'The process ended before the answer arrived',
})

import { type Message, reasonOf } from '#kernel/message.ts'
import type { TenantSettings } from '#modules/accounts'
import { messages } from './messages.ts'

/** An account that nobody has logged in to for so long may be one that nobody needs. */
export const dormantAfterDays = 90

/** Settings that weaken how access is controlled, each with a sentence for the reviewer. */
const remarks: readonly { applies: (settings: TenantSettings) => boolean; remark: Message }[] = [
  { applies: settings => settings.admin_may_approve, remark: messages.access_review_admins_may_approve() },
  {
    applies: settings => !settings.signature_identity_verified_required,
    remark: messages.access_review_identity_not_required(),
  },
  { applies: settings => !settings.signature_otp_required, remark: messages.access_review_otp_not_required() },
  {
    applies: settings => !settings.configuration_needs_approval,
    remark: messages.access_review_configuration_alone(),
  },
]

export const remarksOf = (settings: TenantSettings) =>
  remarks.filter(({ applies }) => applies(settings)).map(({ remark }) => reasonOf(remark))

import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  sso_public_url_missing: 'Single sign-on needs the address of the service. Ask the operator to set PUBLIC_URL.',
  identity_provider_slug_taken: ({ slug }: { slug: string }) =>
    `A provider with the slug ${slug} exists already. Choose another slug.`,
  identity_provider_client_taken: 'A provider with this issuer and client exists already. Change that one.',
  identity_provider_unreachable: ({ failure }: { failure: string }) =>
    `The metadata of the provider could not be read (${failure}). Check the issuer, and whether this service may reach it.`,
  identity_provider_metadata_malformed:
    'The issuer answers with something that is no metadata of OpenID Connect. Check the issuer.',
  identity_provider_issuer_other: ({ issuer }: { issuer: string }) =>
    `The metadata is of the issuer ${issuer}. Enter that issuer.`,
  identity_provider_code_flow_missing:
    'The provider does not offer the authorization code flow. Allow it for this client at the provider.',
  identity_provider_algorithms_missing: ({ allowed }: { allowed: readonly string[] }) =>
    `The provider signs with none of ${allowed.join(', ')}. Choose one of them at the provider.`,
  identity_provider_secret_missing:
    'Enter the client secret. It is kept for one issuer and client, and no other is sent it.',
  identity_provider_secret_needless:
    'With private_key_jwt the service makes its own key, and no secret is entered. Leave it out, or choose another token_auth.',
  identity_provider_key_not_used: 'This provider uses no key. Set token_auth to private_key_jwt.',
  identity_provider_key_not_taken:
    'The provider takes no private_key_jwt. Allow it there, or choose another token_auth.',
  identity_provider_scope_missing: 'The scopes include openid.',
  identity_provider_needed:
    'Single sign-on is required, and no other provider is active. Switch on another one first, or stop requiring it.',
  identity_provider_altered:
    'The settings of this provider were changed past this service, or sealed with a key that it no longer has. Compare them with the audit trail, and confirm them with confirm-settings.',
  identity_provider_not_altered: 'The settings of this provider are as they were stored. There is nothing to confirm.',
  identity_provider_inactive: 'This provider is switched off. Switch it on first.',
  identity_provider_signing_untested:
    'Nobody has tested yet whether this provider asks for a new log-in at each signature. Do it with test-signing first.',
  identity_provider_signs_alone: ({ methods }: { methods: readonly string[] }) =>
    `Signatures are accepted by ${methods.join(' or ')} alone, and nobody could sign without this provider. Accept another proof first (signature_methods), or let people sign by another provider.`,
  identity_provider_cannot_sign:
    'Your account is linked to no provider by which you may sign. Sign with a passkey or with your password.',
  identity_provider_no_second_factor:
    'Each signature needs a second factor here, and nobody has entered how the provider names one. Ask an Admin to set provider_mfa_values, or sign with a passkey.',
  identity_taken: 'This subject of the provider is linked to another user. Remove that link first.',
  identity_user_linked: 'The user is linked to this provider already. Remove that link first.',
  identity_last_way_in:
    'Without this link you could not log in any more. Link another provider first, or, where single sign-on is not required, ask for a password or register a passkey.',
  identity_of_break_glass: 'This is a break-glass account, which depends on no provider. End that before you link it.',
  mapping_repeated: 'The same group is mapped to the same role or group twice. Remove one of the entries.',
  mapping_ambiguous: 'A mapping gives either a role or a group.',
  logout_token_refused: 'The logout token is not valid, or was used before.',
  sso_domain_taken: 'This domain is on your list already.',
  sso_domain_not_proven: ({ domain, text }: { domain: string; text: string }) =>
    `The DNS has no text ${text} at ${domain} yet. Add it as a TXT record, and try again in some minutes.`,
  sso_domain_already_verified: ({ domain }: { domain: string }) => `${domain} is verified already.`,
})

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_sso_stranger: 'An answer of a provider that belongs to no log-in of ours',
  reason_sso_not_begun_here: ({ provider }: { provider: string }) =>
    `${provider}: the log-in was not begun in this browser`,
  reason_sso_used_or_late: ({ provider }: { provider: string }) =>
    `${provider}: the answer was used before, or came after ten minutes`,
  reason_sso_inactive: ({ provider }: { provider: string }) => `${provider} is switched off`,
  reason_sso_refused: ({ provider, cause }: { provider: string; cause: string }) =>
    `The answer of ${provider} was refused: ${cause}`,
  reason_sso_owner_inactive: ({ provider }: { provider: string }) =>
    `${provider}: the account that was to be linked is not active`,
  reason_sso_subject_missing: ({ provider, claim }: { provider: string; claim: string }) =>
    `${provider} sent no ${claim}`,
  reason_sso_log_in_unknown: ({ provider }: { provider: string }) =>
    `${provider} does not say when the person logged in (auth_time)`,
  reason_sso_moment_unknown: ({ provider }: { provider: string }) => `${provider} does not say when it answered (Date)`,
  reason_sso_log_in_old: ({ provider }: { provider: string }) =>
    `${provider} did not ask for a new log-in: the log-in is older than the request to sign`,
  reason_sso_log_in_used: ({ provider }: { provider: string }) =>
    `${provider} did not ask for a new log-in: this log-in was used before`,
  reason_sso_other_signer: ({ provider, subject }: { provider: string; subject: string }) =>
    `${provider}: ${subject} logged in, who is not the signer`,
  reason_sso_may_not_sign: ({ provider }: { provider: string }) => `${provider} is not admitted for signatures`,
  reason_sso_challenge_missing: ({ provider }: { provider: string }) =>
    `${provider}: there is no such signing challenge of this person`,
  reason_sso_proof_faulty: ({ provider, fault }: { provider: string; fault: string }) =>
    `The ID token of ${provider} does not prove the challenge: ${fault}`,
  reason_sso_not_recognised: ({ provider }: { provider: string }) =>
    `${provider} answered without asking, as if the person had logged in anew`,
  reason_sso_provider_altered: ({ provider }: { provider: string }) =>
    `The settings of ${provider} were changed past this service`,
  reason_sso_changed_meanwhile: ({ provider }: { provider: string }) => `${provider} was changed during the test`,
  reason_sso_not_linked: ({ provider, subject }: { provider: string; subject: string }) =>
    `${provider}: no account is linked to ${subject}`,
  reason_sso_link_altered: ({ provider, subject }: { provider: string; subject: string }) =>
    `${provider}: the account of ${subject} was not linked by this service, or its link was altered`,
  reason_sso_email_taken: ({ provider, subject }: { provider: string; subject: string }) =>
    `${provider}: ${subject} has the e-mail address of another account`,
  reason_sso_person_incomplete: ({ provider, subject }: { provider: string; subject: string }) =>
    `${provider} sent no user name or no e-mail address of ${subject}`,
  reason_sso_name_not_free: ({ provider, subject }: { provider: string; subject: string }) =>
    `${provider}: no user name is free for ${subject}`,
  reason_role_by_group: ({ provider, group }: { provider: string; group: string }) => `Group ${group} of ${provider}`,
  reason_role_by_default: ({ provider }: { provider: string }) => `No group of ${provider} gives another role`,
  reason_groups_of_provider: ({ provider }: { provider: string }) => `The groups of ${provider}`,
  reason_issuer_changed: ({ provider }: { provider: string }) => `${provider} has another issuer or client`,
})

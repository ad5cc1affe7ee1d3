import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  /** The same sentence for each cause, so that nobody learns which names exist (AUTH-05). */
  login_failed: 'Incorrect username, password or code.',
  api_key_not_accepted: 'This API key is not accepted. Ask the owner of the service account for another one.',
  service_account_cannot_sign: 'A service account cannot sign. A person has to do this.',
  system_cannot_sign: 'The system cannot sign. A person has to do this.',
  login_not_recent: ({ minutes }: { minutes: number }) =>
    `This needs a log-in of the last ${minutes} minutes. Log in again.`,
  token_no_longer_valid: 'The token is no longer valid. Log in again.',
  session_ended_login_again: 'Your session has ended. Log in again.',
  session_idle: 'Your session ended because it was not used. Log in again.',
  password_incorrect: 'Incorrect password.',
  password_for_change_required: 'Enter your password, or log in again, for this change of your account.',
  password_changed_meanwhile: 'Your password was changed at the same time. Log in with the new password.',

  preferences_too_large: ({ size, maximum }: { size: number; maximum: number }) =>
    `Your preferences would take ${size} bytes, and ${maximum} is the most. Delete a saved view.`,
  preferences_too_deep: ({ maximum }: { maximum: number }) => `Preferences may be nested ${maximum} levels deep.`,

  password_link_ended: 'This link is no longer valid. Ask for a new one.',
  password_link_by_mail: 'Users get a link by e-mail here to choose their own password. Leave temporary_password out.',
  mail_not_set_up: 'This service sends no e-mail. Ask an Admin for a temporary password.',
  temporary_password_missing: 'This service sends no e-mail, so enter a temporary password.',
  invitation_not_open: ({ username }: { username: string }) =>
    `${username} has already chosen a password. Reset the password instead.`,
  invitation_none: ({ username }: { username: string }) => `${username} has no invitation that can be withdrawn.`,
  list_empty: 'The list names nobody. Add a line for each person below the names of the columns.',
  list_column_missing: ({ column }: { column: string }) =>
    `The first line of the list has no column ${column}. Add it.`,
  list_column_unknown: ({ column, known }: { column: string; known: readonly string[] }) =>
    `The list has a column ${column}. Use these alone, each once: ${known.join(', ')}.`,
  list_too_long: ({ people, maximum }: { people: number; maximum: number }) =>
    `The list names ${people} people, and one list may name ${maximum}. Divide it.`,
  list_line_too_long: ({ columns }: { columns: number }) =>
    `This line has more than the ${columns} values of the first.`,
  list_formula: 'A spreadsheet would take this for a formula. Begin it with a letter or a digit.',
  list_control_character: 'This has a line break, a tab or another control character. Remove it.',
  list_named_twice: ({ line }: { line: number }) => `Line ${line} has the same. Name each person once.`,
  list_role_unknown: ({ role }: { role: string }) => `There is no role ${role}. Enter the name of a role.`,
  list_person_known: ({ username }: { username: string }) => `${username} has this already. Leave the line out.`,
  list_more_issues: ({ more }: { more: number }) => `${more} more values are not valid. Correct these first.`,
  user_address_changed_recently: ({ until }: { until: string }) =>
    `The e-mail address of this user was changed less than 24 hours ago. Reset the password after ${until}.`,
  too_many_failed_logins: ({ minutes }: { minutes: number }) =>
    `Too many log-ins from your network failed. Try again in ${minutes} minutes.`,
  too_many_link_requests: ({ minutes }: { minutes: number }) =>
    `Too many links were requested from your network. Try again in ${minutes} minutes.`,

  second_factor_already_enrolled: 'You already have a second factor. Remove it before you enrol another.',
  second_factor_not_begun: 'You have not begun to enrol a second factor. Begin the enrolment first.',
  second_factor_code_incorrect: 'Enter the current code. If it is refused again, check the clock of your device.',
  second_factor_missing: 'You have no second factor to remove.',

  signing_full_name_missing:
    'You have no full name yet, and every signature shows one. Ask an Admin to enter it (PUT /api/users/{id}), then sign.',
  signing_identity_not_verified: 'Nobody has verified your identity yet. Ask an Admin to verify it before you sign.',
  signing_identity_reset:
    'Your password was reset, so another person must verify your identity before you sign. Ask an Admin or a QA Manager who neither created nor reset your account.',
  signing_second_factor_missing: 'Signing needs a second factor here, and you have none. Enrol one first.',
  signing_statement_not_accepted: ({ version }: { version: number }) =>
    `Accept version ${version} of the statement of responsibility before you sign.`,
  signing_password_required: 'Enter your password to sign.',
  signing_password_and_code_required: 'Enter your password and the code of your second factor to sign.',
  signing_password_or_code_incorrect: 'Incorrect password or code.',
  signing_code_already_used: 'This code was already used. Wait for the next one.',
  signing_method_not_accepted: ({ methods }: { methods: readonly string[] }) =>
    `Signatures are not accepted here with this proof of identity. Use one of: ${methods.join(', ')}.`,
  signing_methods_of_nobody: ({ methods }: { methods: readonly string[] }) =>
    `Nobody here could sign with ${methods.join(' or ')}. Have people register a passkey or enrol a second factor first.`,
  signing_proofs_two: 'Send either the password or a signing challenge.',
  signing_challenge_refused:
    'This proof of your identity does not count for this request, or no longer. Begin to sign again.',
  signing_provider_second_factor_missing:
    'Your company asks for a second factor at each signature, and the provider did not name one. Sign with a passkey, or with the password and a code.',
  signing_act_unknown: 'No request that is signed has this method and path. Enter one that takes a signing challenge.',
  signing_act_not_signed: ({ path }: { path: string }) =>
    `${path} needs no proof of your identity as it stands. Send it without a signing challenge.`,
  signature_statement_none: 'There is no statement of responsibility to accept.',
  signature_statement_outdated: ({ version }: { version: number }) =>
    `The statement of responsibility is now at version ${version}. Read and accept that version.`,
  signature_statement_already_accepted: 'You have already accepted this version.',

  username_or_email_taken: 'This user name or e-mail address cannot be used. Choose another one.',
  email_taken: 'This e-mail address cannot be used. Choose another one.',
  user_own_identity: 'You cannot verify your own identity. Ask another Admin.',
  user_identity_by_opener:
    'You created this account, reset its password or changed its e-mail address. Ask another person with the permission users.verify_identity.',
  user_identity_verifier_reset:
    'Your own identity was not verified since your password was reset. Ask another person with the permission users.verify_identity.',
  user_identity_verifier_too_new:
    'Your account is newer than the reset of this one. Ask another person with the permission users.verify_identity.',
  user_must_change_password: 'You set this password, so the user must change it. Leave must_change_password out.',
  user_own_role: 'You cannot change your own role. Ask another Admin.',
  user_own_permissions: 'You cannot change your own permissions. Ask another Admin.',
  user_own_deactivation: 'You cannot deactivate your own account. Ask another Admin.',
  user_own_password_reset: 'You cannot reset your own password. Change it instead.',
  user_is_last_admin: ({ username }: { username: string }) =>
    `${username} is the last active Admin. Give another user the role Admin first.`,
  user_log_in_details_permission_missing:
    'You need the permission users.manage or users.read_logins to filter or sort by how people log in.',
  user_role_permission_missing: 'You need the permission roles.assign to give a role other than User.',
  user_already_active: ({ username }: { username: string }) => `${username} is already active.`,
  user_already_deactivated: ({ username }: { username: string }) => `${username} is already deactivated.`,

  synonym_needs_two_names: 'Enter at least two names of the same thing, separated by |.',
  report_taker_ambiguous: 'Choose either a person or a group who takes these reports.',
  deviation_form_inactive: ({ name }: { name: string }) =>
    `The form ${name} is not in use. Choose another form, or put it into use again.`,
  retention_of_records_shortened_without_reason:
    'Enter a reason: a shorter retention period makes attached files due for disposal earlier.',
  number_pattern_wrong:
    'Write capital letters and digits, {department} or {year}, separated by - . or _, and the digits of the number last: SOP-{department}-{year}-{0000}.',
  number_pattern_of_records_wrong:
    'Write capital letters and digits or {year}, separated by - . or _, and the digits of the number last: DEV-{year}-{0000}.',
  number_pattern_of_type: ({ pattern, name, other }: { pattern: string; name: string; other: string }) =>
    `${pattern} can give the same numbers as ${other} of the document type ${name}. Choose another pattern.`,
  number_pattern_of_records: ({ pattern, other }: { pattern: string; other: string }) =>
    `${pattern} can give the same numbers as ${other} of other records. Choose another pattern.`,
  time_zone_unknown: 'Enter a time zone of the IANA database, such as Europe/Berlin.',
  sso_password_not_used:
    'Your company requires single sign-on, so passwords are not used. Let the person log in by the provider.',
  sso_required_by_password:
    'Log in by an active provider of your company before you require single sign-on: it shows that the provider works.',
  sso_required_without_break_glass:
    'Single sign-on can be required when a break-glass account with a second factor exists. Make one first.',
  break_glass_last:
    'This is the last break-glass account that can get in, and single sign-on is required. Make another one first.',
  break_glass_fixed:
    'This is a break-glass account, which stays an Admin. End that before you change its role or permissions.',
  break_glass_too_many: ({ maximum }: { maximum: number }) =>
    `There are ${maximum} break-glass accounts already. End one of them first.`,
  break_glass_not_ready:
    'A break-glass account is active, has the role Admin, a password and a second factor. Complete the account first.',
  break_glass_linked:
    'This account is linked to a provider. Remove the link first: a break-glass account depends on no provider.',
  break_glass_tried: 'No reminder is due: the account was tried, or somebody was reminded of it already.',
  break_glass_unchanged: 'Nothing would change: the account is as you ask already.',
  tenant_slug_taken: ({ slug }: { slug: string }) =>
    `A tenant with the slug ${slug} already exists. Choose another slug.`,
  registration_not_set_up: 'Registration is not set up. Set REGISTRATION_TENANT to the slug of an active tenant.',
})

type Failures = { failures: number; seconds: number }

const locked = ({ failures, seconds }: Failures, scope: string) =>
  `${failures} failed attempts in a row: locked for ${seconds} seconds, for ${scope}`

/** The reasons that the program itself gives in the audit trail. */
export const reasons = defineMessages({
  reason_account_locked: 'The account is locked',
  reason_key_revoked: 'The key was revoked',
  reason_key_expired: 'The key has expired',
  reason_key_account_inactive: 'The service account was deactivated',
  reason_key_network: ({ address }: { address: string }) => `The key is not good from the address ${address}`,
  reason_service_account_signs: 'A service account cannot sign',
  reason_login_cross_site: 'A page of another site sent the log-in',
  reason_logins_limited: ({ network }: { network: string }) =>
    `Too many log-ins from ${network}. Within the next hour further refusals of it are only in the log.`,
  reason_address_limited: 'Too many log-ins from this network address failed',
  reason_account_inactive: 'The account is not active',
  reason_password_wrong: 'Wrong password',
  reason_temporary_password_over: 'The temporary password ended after 72 hours',
  reason_code_missing: 'The code is missing',
  reason_code_wrong: 'Wrong code',
  reason_code_used: 'The code was used before',
  reason_code_unverifiable: 'The second factor does not open with SECRET_KEY, so the code was not checked',
  reason_sso_required: 'Single sign-on is required, and a password or a passkey was used',
  reason_break_glass_untried: ({ days }: { days: number }) => `Nobody has logged in by the account for ${days} days`,
  reason_sso_only: 'The account logs in by a provider alone',
  reason_signing_second_factor_missing: 'The provider named no second factor, which each signature needs',
  reason_login_too_old: 'The log-in is too long ago, and no password was given',
  reason_locked_for_address: ({ failures, seconds, address }: Failures & { address: string }) =>
    locked({ failures, seconds }, `log-ins from ${address}`),
  reason_locked_for_new_addresses: (lock: Failures) =>
    locked(lock, 'log-ins from addresses that the user has not logged in from'),
  reason_locked_in_session: (lock: Failures) => locked(lock, 'signatures and changes of the account'),
  reason_logins_failed_again: (failed: { count: number; address: string; from: string; to: string }) =>
    `${failed.count} more failed log-ins from ${failed.address}, between ${failed.from} and ${failed.to}`,
  reason_password_link_held: ({ until }: { until: string }) =>
    `The e-mail address was changed less than 24 hours ago: no link until ${until}`,
  reason_password_forgotten: 'The password was forgotten',
  reason_names_in_use: ({ people }: { people: number }) =>
    `A user name or an e-mail address of the ${people} people is in use outside of the company`,
  reason_password_chosen_after_reset: 'By a link after a reset',
  reason_password_chosen_by_invitation: 'By an invitation',
})

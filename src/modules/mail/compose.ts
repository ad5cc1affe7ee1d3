import { pages } from '#kernel/pages.ts'
import type { SentLink } from '#modules/accounts'
import type { Message } from '#platform/mail/mailer.ts'
import { html, type Markup } from './html.ts'
import { printed } from './messages.ts'
import type { Letter } from './queries.ts'

type Notification = Letter['notifications'][number]

const maxListed = 100
const maxSubjectCharacters = 200
const priorities = ['urgent', 'high', 'normal', 'low'] as const

/** A mail header is a single line, so line breaks in a title become blanks. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()

/** Shortens a text, but never within a character. */
const shortened = (text: string, longest: number) => {
  const characters = Array.from(text)
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`
}

/** Behind `#`, so that a browser sends the code to no server, and no access log has it. */
const passwordPage = (public_url: string | undefined, token: string) => {
  const { address, isServed } = pages.reset_password
  return public_url && isServed ? `${public_url}${address}#${token}` : undefined
}

/** A message with the code to choose a password, and a link where there is a page for it. */
export function composeLink(
  letter: Letter,
  { purpose, requested_by, token, minutes }: SentLink,
  public_url: string | undefined,
): Required<Message> {
  const { message_id, created_at: date, email, full_name, username, tenant } = letter
  const [company, user] = [oneLine(tenant), oneLine(username)]
  const title = purpose === 'invitation' ? `You are invited to Attest at ${company}` : 'Choose a new password'
  const who = requested_by === null ? 'Somebody' : oneLine(requested_by)
  const request =
    purpose === 'invitation'
      ? `${who} created an account for you. Your user name is ${user}. Choose a password:`
      : requested_by === null
        ? `Somebody asked for a new password for ${user}. Choose it:`
        : `${who} reset the password of ${user}. Choose a new one:`
  const link = passwordPage(public_url, token)
  const duration = minutes < 120 ? `${minutes} minutes` : `${minutes / 60} hours`
  const terms = `This works once, within ${duration} of this e-mail. With the API, send this code as token to POST /api/auth/reset-password:`
  const advice =
    requested_by === null
      ? 'If you did not ask for this, ignore it: your password stays as it is.'
      : 'If you did not expect this, tell an Admin of your company.'
  const end = `${company}, Attest, to ${oneLine(full_name ?? username)}.`
  return {
    message_id,
    date,
    to: { name: oneLine(full_name ?? username), address: email },
    subject: shortened(title, maxSubjectCharacters),
    text: `${[title, request, ...(link ? [link] : []), terms, token, advice, `-- \n${end}`].join('\n\n')}\n`,
    html: pageOf(
      title,
      html`<h1>${title}</h1><p>${request}</p>${anchor(link)}<p>${terms}</p><p><code>${token}</code></p><p>${advice}</p><footer>${end}</footer>`,
    ),
    isUrgent: false,
  }
}

/** `public_url`: the address of the pages. */
export function compose(letter: Letter, public_url: string | undefined): Required<Message> {
  const { message_id, created_at: date, email, full_name, username, kind, notifications } = letter
  const [first] = notifications
  const { subject, text, markup } =
    kind === 'notification' && notifications.length === 1
      ? aboutOne(first!, letter, public_url)
      : aboutMany(notifications, letter, public_url)
  return {
    message_id,
    date,
    to: { name: oneLine(full_name ?? username), address: email },
    subject: shortened(oneLine(subject), maxSubjectCharacters),
    text,
    html: pageOf(subject, markup),
    isUrgent: kind === 'notification' && notifications.some(({ priority }) => priority === 'urgent'),
  }
}

const linkOf = ({ page }: Notification, public_url: string | undefined) =>
  page && public_url ? `${public_url}${page}` : undefined

const footer = ({ tenant, full_name, username }: Letter) =>
  printed.mail_footer({ tenant: oneLine(tenant), recipient: oneLine(full_name ?? username) }).text

function aboutOne(notification: Notification, letter: Letter, public_url: string | undefined) {
  const { title, message } = notification
  const link = linkOf(notification, public_url)
  return {
    subject: title,
    text: [`${title}\n\n${message}`, ...(link ? [link] : []), `-- \n${footer(letter)}`].join('\n\n') + '\n',
    markup: html`<h1>${title}</h1><p>${message}</p>${anchor(link)}<footer>${footer(letter)}</footer>`,
  }
}

const anchor = (link: string | undefined): Markup => (link ? html`<p><a href="${link}">${link}</a></p>` : html``)

/** The most urgent first, and among these the oldest. */
function aboutMany(all: readonly Notification[], letter: Letter, public_url: string | undefined) {
  const sorted = priorities.flatMap(priority =>
    all.filter(each => each.priority === priority).map(each => ({ ...each, priority })),
  )
  const groups = Map.groupBy(sorted.slice(0, maxListed), ({ priority }) => priority)
  const urgent = all.filter(({ priority }) => priority === 'urgent').length
  const more = all.length - maxListed
  const left = more > 0 ? printed.mail_more({ count: more }).text : undefined
  const subject = printed.mail_digest_subject({ count: all.length, urgent }).text
  const headingOf = (priority: (typeof priorities)[number]) => printed[`mail_priority_${priority}` as const]().text
  const textOf = (each: Notification) =>
    [`* ${each.title}`, each.message, linkOf(each, public_url)].filter(line => line !== undefined).join('\n  ')
  const markupOf = (each: Notification) =>
    html`<li><strong>${each.title}</strong><br>${each.message}${anchor(linkOf(each, public_url))}</li>`
  return {
    subject,
    text:
      [
        ...[...groups].map(([priority, some]) => `${headingOf(priority)}\n\n${some.map(textOf).join('\n\n')}`),
        ...(left ? [left] : []),
        `-- \n${footer(letter)}`,
      ].join('\n\n') + '\n',
    markup: html`<h1>${subject}</h1>${[...groups].map(
      ([priority, some]) => html`<h2>${headingOf(priority)}</h2><ul>${some.map(markupOf)}</ul>`,
    )}${left ? html`<p>${left}</p>` : html``}<footer>${footer(letter)}</footer>`,
  }
}

const pageOf = (title: string, body: Markup) =>
  html`<!doctype html>
<html lang="en" dir="auto"><head><meta charset="utf-8"><title>${title}</title>
<style>body{font:16px/1.5 sans-serif;max-width:40em;margin:1em auto;padding:0 1em}h1{font-size:1.2em}h2{font-size:1em}li{margin-bottom:1em}p,li{white-space:pre-line}footer{margin-top:2em;font-size:.85em;color:#555}</style></head>
<body>${body}</body></html>
`.text

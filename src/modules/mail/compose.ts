import { type Language, sayIn, translate } from '#kernel/message.ts'
import { pages } from '#kernel/pages.ts'
import type { SentLink } from '#modules/accounts'
import { html, type Markup } from '#platform/html.ts'
import type { Message } from '#platform/mail/mailer.ts'
import { printed } from './messages.ts'
import type { Letter, Recipient } from './queries.ts'

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
  const say = sayIn(letter.language)
  const by = requested_by === null ? null : oneLine(requested_by)
  const title = say(
    purpose === 'invitation'
      ? printed.mail_link_title_invitation({ tenant: company })
      : printed.mail_link_title_reset(),
  )
  const request = say(
    purpose === 'invitation'
      ? printed.mail_link_invitation({ by, username: user })
      : by === null
        ? printed.mail_link_forgotten({ username: user })
        : printed.mail_link_reset({ by, username: user }),
  )
  const link = passwordPage(public_url, token)
  const terms = say(printed.mail_link_terms({ minutes, hours: minutes < 120 ? null : minutes / 60 }))
  const advice = say(by === null ? printed.mail_link_not_asked_for() : printed.mail_link_not_expected())
  const end = say(printed.mail_link_footer({ tenant: company, recipient: oneLine(full_name ?? username) }))
  return {
    message_id,
    date,
    to: { name: oneLine(full_name ?? username), address: email },
    subject: shortened(title, maxSubjectCharacters),
    text: `${[title, request, ...(link ? [link] : []), terms, token, advice, `-- \n${end}`].join('\n\n')}\n`,
    html: pageOf(
      letter.language,
      title,
      html`<h1>${title}</h1><p>${request}</p>${anchor(link)}<p>${terms}</p><p><code>${token}</code></p><p>${advice}</p><footer>${end}</footer>`,
    ),
    isUrgent: false,
  }
}

/** A message that somebody asked for, to see whether messages arrive. */
export function composeTest(
  { email, full_name, username, tenant, language }: Recipient,
  { message_id, date }: Pick<Message, 'message_id' | 'date'>,
): Required<Message> {
  const say = sayIn(language)
  const [company, recipient] = [oneLine(tenant), oneLine(full_name ?? username)]
  const title = say(printed.mail_test_subject({ tenant: company }))
  const text = say(printed.mail_test_text({ person: recipient }))
  const end = say(printed.mail_link_footer({ tenant: company, recipient }))
  return {
    ...{ message_id, date, to: { name: recipient, address: email } },
    subject: shortened(title, maxSubjectCharacters),
    text: `${[title, text, `-- \n${end}`].join('\n\n')}\n`,
    html: pageOf(language, title, html`<h1>${title}</h1><p>${text}</p><footer>${end}</footer>`),
    isUrgent: false,
  }
}

/** `public_url`: the address of the pages. */
export function compose(letter: Letter, public_url: string | undefined): Required<Message> {
  const { message_id, created_at: date, email, full_name, username, kind, language } = letter
  const notifications = letter.notifications.map(inLanguage(language))
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
    html: pageOf(language, subject, markup),
    isUrgent: kind === 'notification' && notifications.some(({ priority }) => priority === 'urgent'),
  }
}

const linkOf = ({ page }: Notification, public_url: string | undefined) =>
  page && public_url ? `${public_url}${page}` : undefined

const footer = ({ tenant, full_name, username, language }: Letter) =>
  sayIn(language)(printed.mail_footer({ tenant: oneLine(tenant), recipient: oneLine(full_name ?? username) }))

/** A notification in the language of its reader; an old one without a code is English. */
const inLanguage = (language: Language) => (notification: Notification) => {
  const { code, params } = notification
  const said = code === null ? undefined : translate(language, { code, params })
  return said?.title !== undefined ? { ...notification, title: said.title, message: said.text } : notification
}

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
  const say = sayIn(letter.language)
  const left = more > 0 ? say(printed.mail_more({ count: more })) : undefined
  const subject = say(printed.mail_digest_subject({ count: all.length, urgent }))
  const headingOf = (priority: (typeof priorities)[number]) => say(printed[`mail_priority_${priority}` as const]())
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

const pageOf = (language: Language, title: string, body: Markup) =>
  html`<!doctype html>
<html lang="${language}" dir="auto"><head><meta charset="utf-8"><title>${title}</title>
<style>body{font:16px/1.5 sans-serif;max-width:40em;margin:1em auto;padding:0 1em}h1{font-size:1.2em}h2{font-size:1em}li{margin-bottom:1em}p,li{white-space:pre-line}footer{margin-top:2em;font-size:.85em;color:#555}</style></head>
<body>${body}</body></html>
`.text

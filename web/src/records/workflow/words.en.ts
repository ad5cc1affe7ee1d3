export interface People {
  kind: 'role' | 'user' | 'group' | 'permission'
  /** A role, a group or a right; or the people. */
  names: string[]
}

const and = (items: string[]) => new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(items)
const days = (n: number) => (n === 1 ? '1 day' : `${n} days`)
const named = ({ kind, names }: People) =>
  kind === 'role' ? `the role ${names[0]}` : kind === 'group' ? `the group ${names[0]}` : `the right “${names[0]}”`

export const en = {
  kinds: { initial: 'Beginning', review: 'Under way', effective: 'In force', final: 'End' },
  /** What a person with the right may do. */
  rights: {
    'documents.read': 'Read effective documents',
    'documents.read_drafts': 'Read versions that are not effective yet',
    'documents.read_obsolete': 'Read versions that are no longer effective',
    'documents.create': 'Upload documents',
    'documents.update': 'Change drafts',
    'documents.submit': 'Submit drafts',
    'documents.review': 'Review documents',
    'documents.approve': 'Approve documents',
    'documents.configure_approval': 'Configure approvals',
    'documents.make_effective': 'Make versions effective',
    'documents.obsolete': 'Make documents obsolete',
    'documents.periodic_review': 'Decide periodic reviews',
    'documents.transition': 'Take part in workflows',
  } as Record<string, string>,
  counted: (people: People, count: number) => {
    if (people.kind === 'user')
      return count >= people.names.length ? and(people.names) : `${count} of ${and(people.names)}`
    if (people.kind === 'group') return `${count === 1 ? '1 member' : `${count} members`} of ${named(people)}`
    return `${count === 1 ? '1 person' : `${count} people`} with ${named(people)}`
  },
  share: (people: People, percent: number) => `${percent} % of ${en.all(people)}`,
  all: (people: People) =>
    people.kind === 'user'
      ? and(people.names)
      : people.kind === 'group'
        ? `the members of ${named(people)}`
        : `the people with ${named(people)}`,
  rules: (rules: string[], isInOrder: boolean) => rules.join(isInOrder ? ', then ' : ' and '),
  approval: (rules: string) => `Approval by ${rules}`,
  notAuthor: 'not the author',
  authorToo: 'the author may approve too',
  notThoseOf: (steps: string[]) => `not those who approved ${and(steps.map(each => `“${each}”`))}`,
  signedAs: {
    review: 'signed as a review',
    approval: 'signed as an approval',
    release: 'signed as a release',
    rejection: 'signed as a rejection',
    authorship: 'signed as the author',
    verification: 'signed as a verification',
    acknowledgement: 'signed as an acknowledgement',
  } as Record<string, string>,
  signed: 'signed',
  due: (n: number, remind: number) =>
    `due after ${days(n)}, with a reminder ${remind === 0 ? 'on that day' : `${days(remind)} before`}`,
  escalated: (people: string) => `${people} are told when it is overdue`,
  byHand: (right: string | undefined) => (right ? `By people with the right “${right}”` : 'By anybody who takes part'),
  withRight: (right: string) => `only people with the right “${right}”`,
  withComment: 'with a comment',
  reject: 'By those who could approve',
  automatic: {
    on_effective_date: 'By itself on the effective date',
    on_training_complete: 'By itself when the training is complete',
    on_supersede: 'By itself when a newer version becomes effective',
  },
  fromTo: (from: string, to: string) => `${from} to ${to}`,
  states: (labels: string) => `States: ${labels}.`,
  whole: (label: string, from: string, to: string, how: string) => `${label}, from ${from} to ${to}: ${how}.`,
  differences: {
    none: 'Nothing is different.',
    stateAdded: (label: string, kind: string) => `The state ${label} (${kind}) is new.`,
    stateRemoved: (label: string) => `The state ${label} is removed.`,
    stateRenamed: (from: string, to: string) => `The state ${from} is now called ${to}.`,
    stateKind: (label: string, from: string, to: string) => `The state ${label} is now of the kind ${to}, not ${from}.`,
    statesInOrder: 'The states are in another order.',
    transitionAdded: (label: string, from: string, to: string, how: string) =>
      `${label} is new, from ${from} to ${to}: ${how}.`,
    transitionRemoved: (label: string, from: string, to: string) => `${label}, from ${from} to ${to}, is removed.`,
    transitionRenamed: (from: string, to: string) => `${from} is now called ${to}.`,
    transitionMoved: (label: string, before: string, after: string) =>
      `${label} leads from ${after}, and led from ${before}.`,
    transitionHow: (label: string, before: string, after: string) =>
      `${label}: “${after}” in the place of “${before}”.`,
    transitionAlso: (label: string, after: string) => `${label}: now also “${after}”.`,
    transitionNoLonger: (label: string, before: string) => `${label}: no longer “${before}”.`,
    transitionsInOrder: 'The transitions are in another order.',
  },
  unknownUser: 'a person who is not there',
  unknownGroup: 'that is not there',
}

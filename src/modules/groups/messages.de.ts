import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

const listed = (kind: string, names: readonly string[], more: number) =>
  names.length === 0 ? [] : [`${kind} ${[...names, ...(more > 0 ? [`${more} weitere`] : [])].join(', ')}`]

defineGerman<typeof messages>({
  group_name_taken: ({ name }) => `Eine Gruppe namens ${name} gibt es schon. Wählen Sie einen anderen Namen.`,
  group_in_use: ({
    group,
    workflow_templates,
    more_workflow_templates,
    documents,
    more_documents,
    curricula,
    more_curricula,
  }) =>
    `${group} wird verwendet: ${[
      ...listed('Workflows', workflow_templates, more_workflow_templates),
      ...listed('Freigaben von', documents, more_documents),
      ...listed('Curricula', curricula, more_curricula),
    ].join(' und ')}. Ersetzen Sie sie dort, bevor Sie sie löschen.`,
  group_former_members_permission_missing:
    'Sie brauchen die Berechtigung groups.manage, um frühere Mitglieder zu sehen.',
  group_members_required: 'Wählen Sie mindestens eine Person.',
  group_members_ambiguous: 'Geben Sie entweder user_id oder user_ids an.',
  group_members_inactive: ({ usernames }) =>
    `Nur aktive Personen können Mitglied werden. Lassen Sie ${usernames.join(', ')} weg.`,
  group_members_already: ({ group, usernames }) =>
    `${usernames.join(', ')} ${usernames.length === 1 ? 'ist schon Mitglied' : 'sind schon Mitglieder'} von ${group}.`,
})

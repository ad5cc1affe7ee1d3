import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

const counted = (count: number, one: string, many: string) =>
  count === 0 ? [] : [count === 1 ? `1 ${one}` : `${count} ${many}`]

defineGerman<typeof messages>({
  role_granted_and_denied: ({ permissions }) =>
    `Geben oder verweigern Sie jede Berechtigung, nicht beides: ${permissions.join(', ')}.`,
  role_is_system: ({ name }) =>
    `${name} ist eine Rolle des Systems und kann weder geändert noch gelöscht werden. Legen Sie eine Rolle an, die von ihr erbt.`,
  role_limit_reached: ({ maximum }) =>
    `Eine Firma kann höchstens ${maximum} Rollen haben. Löschen Sie zuerst eine, die niemand hat.`,
  role_name_taken: ({ name }) => `Eine Rolle namens ${name} gibt es schon. Wählen Sie einen anderen Namen.`,
  role_inherits_from_itself: ({ name }) => `${name} würde von sich selbst erben. Wählen Sie eine andere Rolle.`,
  role_inheritance_too_deep: ({ name, maximum }) =>
    `${name} würde über mehr als ${maximum} Stufen erben. Wählen Sie eine Rolle, die von weniger Rollen erbt.`,
  role_in_use: ({ name, users, roles, workflow_templates, curricula, identity_providers }) =>
    `${name} kann nicht gelöscht werden: ${[
      ...counted(users, 'Benutzer hat sie', 'Benutzer haben sie'),
      ...counted(roles, 'Rolle erbt von ihr', 'Rollen erben von ihr'),
      ...counted(identity_providers, 'Anbieter für Single Sign-on gibt sie', 'Anbieter für Single Sign-on geben sie'),
      ...counted(workflow_templates, 'Workflow nennt sie', 'Workflows nennen sie'),
      ...counted(curricula, 'Curriculum nennt sie', 'Curricula nennen sie'),
    ].join(', ')}. Wählen Sie dort zuerst eine andere Rolle.`,
  role_of_last_admin: ({ name }) =>
    `Mit dieser Änderung von ${name} könnte niemand mehr Benutzer verwalten. Geben Sie zuerst jemand anderem die Rolle Admin.`,
  permissions_not_held: ({ permissions }) =>
    `Sie können keine Berechtigungen geben, die Sie selbst nicht haben: ${permissions.join(', ')}.`,
})

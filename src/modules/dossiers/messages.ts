import { defineMessages } from '#kernel/message.ts'

export const messages = defineMessages({
  dossier_permission_required:
    'A dossier contains the files of the document, so you need the permission documents.download to export it.',
  dossier_outdated: ({ number }: { number: string }) =>
    `${number} was changed while its dossier was being made. Export it again.`,
})

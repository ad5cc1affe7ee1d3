import { defineMessages } from '#kernel/message.ts'

export const lines = defineMessages({
  demo_in_production: 'The demo does not run with ENVIRONMENT=production, because its password is public',
  demo_folder_in_production: ({ folder }: { folder: string }) =>
    `${folder} belongs to a demo, whose password is public, and ENVIRONMENT is production: set DATA_DIR to a folder of its own`,
  /** `folder` is null for the database of DATABASE_URL. */
  demo_other_data: ({ folder }: { folder: string | null }) =>
    `${folder ?? 'The database of DATABASE_URL'} holds tenants that are not the demo's: set DATA_DIR to another folder`,
  demo_cannot_complete: ({ username }: { username: string }) =>
    `The demo's data are not complete, and ${username} cannot log in to complete them: begin again with another DATA_DIR`,
  demo_postgres_starting: ({ folder }: { folder: string }) => `starting PostgreSQL on ${folder}`,
  demo_postgres_making: ({ folder }: { folder: string }) =>
    `making a PostgreSQL in ${folder}, which takes some seconds`,
  demo_platform_user: ({ username }: { username: string }) => `the platform user ${username}, with a second factor`,
  demo_tenant: ({ tenant }: { tenant: string }) => `the tenant ${tenant}, with two workflows and eight document types`,
  demo_people: ({ people }: { people: readonly string[] }) => `${people.length} people: ${people.join(', ')}`,
  demo_record: ({ kind, title }: { kind: string; title: string }) => `${kind}: ${title}`,
  demo_from_template: ({ template, title }: { template: string; title: string }) =>
    `${template}: ${title}, from the template`,
  demo_training: ({ username, title }: { username: string; title: string }) => `training of ${username}: ${title}`,
  demo_complete: 'everything is there',
  demo_stopped: 'Stopped before everything was created. The next start creates the rest.',
  demo_reachable: ({ host }: { host: string }) =>
    `\nCareful: anybody who reaches ${host} can log in here with a public password.`,
  demo_stopping: 'Stopping',
})

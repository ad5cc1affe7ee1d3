import type { Services } from '#action'
import type { Check } from '#modules/status'
import { placeOf } from '#platform/storage/open.ts'
import {
  checkIdentity,
  checkIsolation,
  checkMigrations,
  checkRecords,
  checkServices,
  describeConnection,
  refuseUnwritable,
  reportBootstrap,
  reportConverters,
} from './checks.ts'
import { lines } from './messages.ts'
// The service answers in the language of its reader.
import '../messages.de.ts'
import './messages.de.ts'
import { faultsWithoutSecrets, Report } from './report.ts'

/** Somebody waits for the answer in a browser. */
const projections_ms = 20_000

/** The checks of `doctor` by the service itself, on what it has open. */
export async function examineRunning({ config, database, storage }: Services): Promise<Check[]> {
  const checks: Check[] = []
  const report = new Report({
    write: (verdict, about, said) => checks.push({ about, verdict, details: [...said] }),
    faultsOf: faultsWithoutSecrets,
  })
  await report.check(lines.doctor_about_configuration(), async () => {
    await refuseUnwritable(config.data_dir, 'DATA_DIR')
    return lines.doctor_configuration({ environment: config.environment, folder: config.data_dir })
  })
  await report.check(lines.doctor_about_storage(), async () => {
    await refuseUnwritable(config.upload_dir, 'UPLOAD_DIR')
    await storage.check()
    for await (const _ of storage.list('')) break
    return lines.doctor_storage_works({ place: placeOf(config) })
  })
  await checkServices(config, report)
  await reportConverters(config, report)
  const hasDatabase = await report.check(lines.doctor_about_database(), () =>
    database.withConnection(client => describeConnection(client, config)),
  )
  if (hasDatabase) {
    await database.withConnection(async client => {
      await checkMigrations(client, true, report)
      await checkIsolation(client, report)
    })
    await checkIdentity(config, database, storage, report)
    if (config.bootstrap) await reportBootstrap(config.bootstrap, database, report)
    await checkRecords(config, database, report, (text, values) => database.queueStatement(text, values), {
      projections_ms,
    })
  } else report.note(lines.doctor_about_not_examined(), lines.doctor_records_not_reached())
  report.note(lines.doctor_about_not_examined(), lines.doctor_not_deep())
  return checks
}

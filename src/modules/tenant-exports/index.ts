export { exportedTables } from './columns.ts'
export { rowsToExport, schemaOfProgram, type TableList, tableList, tablePath, tablesFormat } from './tables.ts'

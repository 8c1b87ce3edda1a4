export { writeCsv, writeJson } from './documents.ts'
export { createExportTickets } from './tickets.ts'

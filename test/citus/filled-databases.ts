import { pino } from 'pino'
import { openDemo } from '../../src/demo/open-demo.ts'
import { ask, type CitusNodes, type Node } from './nodes.ts'

/** A plain database with the demo's small company in it, and one on all nodes with the same rows, to be distributed. */
export async function fillDatabases({ coordinator, workers }: CitusNodes): Promise<{ plain: Node; copy: Node }> {
  const plain = { ...coordinator, database: 'plain' }
  await ask(coordinator, 'create database plain')
  await fill(plain)
  const copy = { ...coordinator, database: 'copy' }
  await ask(coordinator, 'create database copy template plain')
  for (const worker of workers) await ask(worker, 'create database copy')
  for (const node of [coordinator, ...workers]) await ask({ ...node, database: 'copy' }, 'create extension citus')
  await ask(copy, `select citus_set_coordinator_host('${copy.host}', ${copy.port})`)
  for (const { host, port } of workers) await ask(copy, `select citus_add_node('${host}', ${port})`)
  return { plain, copy }
}

async function fill({ host, port, user, database }: Node): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0' }
  const silent = { say: () => {}, onProgress: () => {} }
  const databaseUrl = `postgres://${user}@${host}:${port}/${database}`
  const demo = await openDemo(env, pino({ level: 'silent' }), { size: 'small', databaseUrl, ...silent })
  await demo.stop()
}

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `oldest` is the migration that a process has to know at least to work on the schema that this one leaves. */
export type MigrationFile = { name: string; text: string; oldest: number; outsideTransaction: boolean }

export const migrationFolder = join(import.meta.dirname, '..', '..', '..', '..', 'migrations')

/** The newest migration that this process knows. */
export const schemaLevel = Math.max(...migrationNames(migrationFolder).map(levelOf))

export function readMigrations(folder = migrationFolder): MigrationFile[] {
  return migrationNames(folder).map((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return { name, text, oldest: oldestFor(name, text), outsideTransaction: /^-- outside-a-transaction$/m.test(text) }
  })
}

/** In a comment of its own: `-- compatible-with: 0056`. One that says nothing is taken for one that breaks all before it. */
function oldestFor(name: string, text: string): number {
  const said = /^-- compatible-with: (\d{4})$/m.exec(text)?.[1]
  return said === undefined ? levelOf(name) : Number(said)
}

function migrationNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
}

export function levelOf(name: string): number {
  return Number.parseInt(name, 10)
}

export function digestOf({ text }: Pick<MigrationFile, 'text'>): string {
  return createHash('sha256').update(text).digest('hex')
}

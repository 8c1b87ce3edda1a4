import { Command } from 'commander'
import { addClientCommands } from './client.ts'
import { type AddCommands, runProgram } from './program.ts'

/** In the order of the help. Most of them load the server, so each is loaded when it is asked for. */
const serverCommands: Record<string, () => Promise<AddCommands>> = {
  serve: async () => (await import('./serve.ts')).serveCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  token: async () => (await import('./admin/token.ts')).tokenCommand,
  person: async () => (await import('./admin/person.ts')).personCommand,
  keys: async () => (await import('./admin/keys.ts')).keysCommand,
  audit: async () => (await import('./admin/audit.ts')).auditCommand,
  db: async () => (await import('./admin/database.ts')).databaseCommands,
  counters: async () => (await import('./admin/counters.ts')).countersCommand,
  backup: async () => (await import('./admin/backup.ts')).backupCommand,
  restore: async () => (await import('./admin/backup.ts')).restoreCommand,
  doctor: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  feed: async () => (await import('./admin/feed.ts')).feedCommand,
}

/** Runs one command line; returns the exit code. */
export async function run(args: string[]): Promise<number> {
  const added = await commandsFor(args[0] ?? '')
  const parts = {
    description: 'Self-hosted code and supply-chain security platform',
    addCommands: (program: Command, finish: (code: number) => void) => {
      for (const add of added) add(program, finish)
    },
    explained: async () => (await import('./explained-problems.ts')).explainedProblems,
  }
  return runProgram(parts, args)
}

/** The one that is asked for; all of them where it is another word, for the help and for what was meant. */
async function commandsFor(name: string): Promise<AddCommands[]> {
  if (isClientCommand(name)) return [addClientCommands]
  const wanted = Object.hasOwn(serverCommands, name) ? [serverCommands[name]!] : Object.values(serverCommands)
  return [...(await Promise.all(wanted.map((load) => load()))), addClientCommands]
}

function isClientCommand(name: string): boolean {
  const client = new Command()
  addClientCommands(client, () => {})
  return client.commands.some((command) => command.name() === name)
}

import { userInfo } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { createNotices } from '../../capabilities/factors/notices.ts'
import { createFactorReset, removeFactorsSince } from '../../capabilities/factors/reset.ts'
import { createPeople } from '../../capabilities/people/people.ts'
import { createAccountRecord } from '../../capabilities/sessions/history/account-record.ts'
import { createAttemptLimits } from '../../capabilities/sessions/throttling/attempt-limits.ts'
import { composeCore } from '../../compose/core.ts'
import { hasLength } from '../../kernel/text/characters.ts'
import { systemClock } from '../../kernel/time/clock.ts'
import { readSettings } from '../../settings/settings.ts'
import { reachDatabase } from '../../start/open-database.ts'
import { loadMasterKey } from '../../vault/master-key/master-key.ts'
import { CommandProblem } from '../command-problem.ts'
import { createLog } from '../log.ts'
import { print } from '../output.ts'

type Options = { prompt?: boolean; secondFactor?: boolean }

/** For whoever has the data folder or the database: lets somebody back in who has forgotten their password. */
export function personCommand(program: Command): void {
  program
    .command('person')
    .description('look after accounts')
    .command('reset')
    .argument('<email>', 'whose account it is')
    .description('print a link that sets a new password once, within an hour; the audit log records it')
    .option('--second-factor', 'remove the second factors and end all sessions instead; the password stays')
    .option('--prompt', 'ask for the new password here instead (or read it from standard input)')
    .option('--json', 'print JSON, for programs')
    .action(async (email: string, { prompt, secondFactor }: Options, command: Command) => {
      if (prompt && secondFactor) throw new CommandProblem('Choose one of --prompt and --second-factor.')
      const password = prompt ? await readPassword() : undefined
      const settings = readSettings(process.env)
      const database = await reachDatabase(settings, createLog('silent'))
      try {
        const { key } = loadMasterKey({ env: settings.masterKey, folder: settings.dataFolder, mayMake: false })
        const { db } = composeCore({ connection: database.connection, masterKey: key, clock: systemClock })
        const { publicUrl } = settings
        const limits = createAttemptLimits(db, systemClock)
        const { resets } = createPeople({
          db,
          clock: systemClock,
          publicUrl,
          mailer: undefined,
          limits,
          removeFactorsSince,
        })
        try {
          const { username } = userInfo()
          if (secondFactor) {
            const record = createAccountRecord({ db, clock: systemClock, log: createLog('silent') })
            const notices = createNotices({ db, canMail: settings.mail !== undefined })
            await createFactorReset({ db, record, notices }).byServer(email, username)
            // Nobody does the rest when this process has ended.
            await record.settle()
            const said = `${email} has no second factor any more; all their sessions have ended.`
            print(command, { reset: true }, said)
          } else if (password === undefined) {
            const made = await resets.linkByServer(email, username)
            if (settings.givenUrl === undefined) console.error(unknownAddress)
            print(command, made, `${made.link}\n\nIt works once, until ${made.expiresAt}.`)
          } else {
            await resets.setByServer(email, password, username)
            print(command, { changed: true }, `${email} has a new password; all their sessions have ended.`)
          }
        } finally {
          await db.close()
        }
      } finally {
        await database.stop()
      }
    })
}

const unknownAddress =
  'gatehouse: GATEHOUSE_URL is not set here, so the link has the address of this machine. Run this with the GATEHOUSE_URL of the server, or put the address that people use before /reset-password.'

/** Typed at a terminal it is not shown, so it is typed twice. */
async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await askTwice() : (await text(process.stdin)).replace(/\r?\n$/, '')
  // A form has one line: nobody could type the others there.
  if (/[\r\n]/.test(password)) throw new CommandProblem('A password must be on one line.')
  if (!hasLength(password, 12, 200)) throw new CommandProblem('A password must have 12 to 200 characters.')
  return password
}

async function askTwice(): Promise<string> {
  const silent = new Writable({ write: (_, __, done) => done() })
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true })
  const ask = async (question: string) => {
    process.stderr.write(question)
    const answer = await terminal.question('')
    process.stderr.write('\n')
    return answer
  }
  try {
    const password = await ask('New password: ')
    if ((await ask('Again: ')) !== password) throw new CommandProblem('The two passwords differ; nothing was changed.')
    return password
  } finally {
    terminal.close()
  }
}

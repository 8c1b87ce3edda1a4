import type { Command } from 'commander'
import { linesFor, type PackageClient } from '../../domain/package-clients.ts'
import { trimEnd } from '../../kernel/text/trim.ts'
import { readSettings } from '../../settings/settings.ts'
import { readLogin } from '../login/stored-login.ts'
import { print } from '../output.ts'

type Options = { url?: string; deployment?: number }

export function printLines(client: PackageClient, options: Options, command: Command): void {
  const login = options.url || process.env.GATEHOUSE_URL ? undefined : readLogin(process.env)
  const url = trimEnd(options.url ?? login?.url ?? readSettings(process.env).publicUrl, '/')
  const deployment = options.deployment ?? Number(process.env.GATEHOUSE_DEPLOYMENT || login?.deployment || 1)
  const { file, text, comment } = linesFor(client, url, deployment)
  // Where the lines go, as a comment in their own language: what is printed can be written into a file as it is.
  print(command, { client, file, text }, `${comment[0]}${file}${comment[1]}\n${text}`)
}

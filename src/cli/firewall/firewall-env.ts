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
  const { comment, ...first } = linesFor(client, url, deployment)
  const { file, text, more } = first
  // Where the lines go, as a comment in their own language: what is printed can be written into a file as it is.
  const printed = [{ file, text }, ...(more ? [more] : [])].map(
    (part) => `${comment[0]}${part.file}${comment[1]}\n${part.text}`,
  )
  print(command, { client, ...first }, printed.join('\n\n'))
}

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { NewScan, Receipt } from '../../capabilities/scans/contract.ts'
import { firewallAddress, type PastFirewall } from '../../formats/registry-references/registry-references.ts'
import { CommandProblem } from '../command-problem.ts'
import { pastText } from '../firewall/past-text.ts'
import { pastFirewall, usesFirewall } from '../firewall/registry-references.ts'
import { describeMerge } from '../git-merge.ts'
import { isFor, readLogin } from '../login/stored-login.ts'
import { print, wantsJson } from '../output.ts'
import { blockingText, withAddresses } from './blocking-table.ts'
import { prepareLogs } from './code/prepare-logs.ts'
import { createProgress } from './progress.ts'
import { printable, receiptTable, table } from './receipt-table.ts'
import type { Environment } from './subject/ci-environment.ts'
import { topOfCheckout } from './subject/git-checkout.ts'
import { tokenOfJob } from './subject/job-token.ts'
import { scanSubject } from './subject/scan-subject.ts'
import type { OutgoingFile } from './upload-body.ts'
import { type Server, sendScan } from './upload-client.ts'
import type { UploadOptions } from './upload-options.ts'

/** Sends the files as one scan of the checkout that `folder` is in, and prints the receipt. Answers with the exit code. */
export async function uploadFiles(
  command: Command,
  options: UploadOptions,
  files: readonly OutgoingFile[],
  folder: string,
): Promise<number> {
  const scan: NewScan = { ...(await scanSubject(options, process.env, folder)) }
  if (!scan.pullRequest) Object.assign(scan, await describeMerge(folder, scan.commit))
  if (options.dryRun) {
    announce(command, scan, files)
    return 0
  }
  // Whoever sends it by hand means what is checked out now.
  if (!process.env.CI) scan.run ??= randomUUID()
  const server = await findServer(options, process.env)
  const prepared = prepareLogs(files, { folder, root: options.root, warn })
  const receipt = await sendWithProgress(command, server, scan, prepared.files).finally(prepared.remove)
  // One of an older Gatehouse does not have it.
  const told: readonly PastFirewall[] = receipt.pastFirewall ?? []
  const past = told.length > 0 ? told : pastOf(files, folder, server.url)
  const parts = [
    receiptTable(receipt, scan.repository),
    past.length > 0 ? pastText(past) : '',
    blockingText(receipt, server.url),
  ]
  const result = { ...withAddresses(receipt, server.url), pastFirewall: past }
  print(command, result, parts.filter(Boolean).join('\n\n'))
  return receipt.blocked ? 1 : 0
}

/** What is worth knowing and does not end the command. */
export function warn(text: string): void {
  console.error(`gatehouse: ${printable(text)}.`)
}

export function whereTheToolsRan(folder: string): string {
  return process.env.GATEHOUSE_ROOT || (topOfCheckout(resolve(folder)) ?? resolve(folder))
}

/** For a repository that goes through the firewall, where Gatehouse has not seen that yet: what of it does not. */
function pastOf(files: readonly OutgoingFile[], folder: string, url: URL): PastFirewall[] {
  const top = topOfCheckout(resolve(folder)) ?? resolve(folder)
  const firewall = firewallAddress(url)
  return usesFirewall(top, files, firewall) ? pastFirewall(files, firewall) : []
}

function announce(command: Command, scan: NewScan, files: readonly OutgoingFile[]): void {
  const listed = files.map(({ path, bytes }) => ({ path, bytes }))
  const rows = [['File', 'Bytes'], ...listed.map(({ path, bytes }) => [printable(path), String(bytes)])]
  const change = scan.pullRequest ? `, pull request ${scan.pullRequest} to ${scan.baseRef}` : ''
  const about = `${files.length} files would be sent as a scan of ${scan.repository} at ${scan.ref}${change}.`
  print(command, { scan, files: listed }, files.length > 0 ? `${table(rows, 1)}\n\n${about}` : about)
}

function sendWithProgress(
  command: Command,
  server: Server,
  scan: NewScan,
  files: readonly OutgoingFile[],
): Promise<Receipt> {
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const terminal = wantsJson(command) ? { write() {} } : process.stderr
  const progress = createProgress(totalBytes, terminal, process.env)
  const onRetry = (why: string, seconds: number) => {
    progress.end()
    console.error(`gatehouse: ${why}; trying again in ${seconds} s.`)
  }
  return sendScan(server, scan, files, { onAttempt: progress.restart, onRead: progress.add, onRetry }).finally(
    progress.end,
  )
}

export async function findServer(options: UploadOptions, env: Environment): Promise<Server> {
  const { url, deploymentId } = findAddress(options, env)
  const token =
    findToken(options, env) ?? (await tokenOfJob({ url, deploymentId }, env)) ?? storedToken(url, deploymentId, env)
  if (!token) throw new CommandProblem(noToken)
  return { url, deploymentId, token }
}

/** By an option, by the environment, or where `gatehouse login` was. */
export function findAddress(
  options: Pick<UploadOptions, 'url' | 'deployment'>,
  env: Environment,
): Omit<Server, 'token'> {
  const given = options.url || env.GATEHOUSE_URL
  const login = given ? undefined : readLogin(env)
  const address = given || login?.url
  if (!address) throw new CommandProblem('Say --url (or GATEHOUSE_URL): where Gatehouse is.')
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new CommandProblem('The address of Gatehouse must begin with https:// or http://.')
  }
  const deploymentId = options.deployment ?? Number(env.GATEHOUSE_DEPLOYMENT || login?.deployment || 1)
  if (!Number.isSafeInteger(deploymentId) || deploymentId < 1) {
    throw new CommandProblem('The deployment must be a whole number from 1.')
  }
  return { url, deploymentId }
}

const noToken =
  'There is no API token. On your own machine sign in: gatehouse login. In CI put a token into GATEHOUSE_TOKEN, or, where an admin trusts your CI, let the job ask for an ID token (GitHub: permissions id-token: write; others: GATEHOUSE_ID_TOKEN).'

function storedToken(url: URL, deploymentId: number, env: Environment): string | undefined {
  const login = readLogin(env)
  if (!login || !isFor(login, url, deploymentId)) return undefined
  if (Date.parse(login.expiresAt) <= Date.now())
    throw new CommandProblem('Your sign-in has expired. Sign in again: gatehouse login')
  return login.token
}

function findToken({ tokenFile }: UploadOptions, env: Environment): string | undefined {
  const token = (tokenFile ? readToken(tokenFile) : (env.GATEHOUSE_TOKEN ?? '')).trim()
  if (!token && tokenFile) throw new CommandProblem(`There is no API token in '${tokenFile}'.`)
  if (!token) return undefined
  // What else could be there must not get into a header, nor into a message about it.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new CommandProblem('The API token has characters that no token has.')
  return token
}

function readToken(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandProblem(`The file '${file}' cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { deviceGrant, pollDeviceSignIn, startDeviceSignIn } from '../../capabilities/device-sign-in/contract.ts'
import { CommandProblem } from '../command-problem.ts'
import { printable } from '../scan/receipt-table.ts'
import { callServer } from './server-call.ts'

type Asked = { url: URL; deployment: number; scopes: string[]; days: number; hostName: string }
type Granted = { token: string; scopes: string[]; expiresInSeconds: number }
type Asking = {
  show: (code: string, page: string, minutes: number) => void
  wait?: (seconds: number) => Promise<unknown>
}

const client = 'gatehouse'

/** RFC 8628: shows a code, and waits until a person has said yes or no. */
export async function signInByDevice(asked: Asked, { show, wait = (s) => delay(s * 1000) }: Asking): Promise<Granted> {
  const { status, body: begun } = await callServer(asked.url, 'POST', startDeviceSignIn.path, {
    body: {
      client_id: client,
      scope: asked.scopes.join(' '),
      deployment_id: String(asked.deployment),
      host_name: asked.hostName,
      lifetime_days: String(asked.days),
    },
  })
  if (status !== 200) throw refused(status, begun.detail)
  show(printable(begun.user_code), printable(begun.verification_uri), Math.floor(begun.expires_in / 60))
  let interval: number = begun.interval
  for (let left: number = begun.expires_in; left > 0; left -= interval) {
    await wait(interval)
    const answer = await poll(asked.url, begun.device_code)
    if (answer?.status === 200) return granted(answer.body)
    const why: string = answer?.body.error ?? ''
    if (why === 'access_denied') throw new CommandProblem('The sign-in was denied in the browser.', 1)
    if (why === 'expired_token') break
    // RFC 8628 §3.5: from then on, not just once.
    if (why === 'slow_down') interval += 5
    if (answer && !why && answer.status < 429) throw refused(answer.status, answer.body.detail)
  }
  throw new CommandProblem('Nobody typed the code in time. Begin again: gatehouse login')
}

/** Undefined where the server could not be reached: it may be back for the next poll. */
async function poll(url: URL, deviceCode: string) {
  const body = { grant_type: deviceGrant, device_code: deviceCode, client_id: client }
  try {
    return await callServer(url, 'POST', pollDeviceSignIn.path, { body })
  } catch (error) {
    if (error instanceof CommandProblem) return undefined
    throw error
  }
}

function granted(body: { access_token: string; scope: string; expires_in: number }): Granted {
  return { token: body.access_token, scopes: body.scope.split(' '), expiresInSeconds: body.expires_in }
}

function refused(status: number, detail: unknown): CommandProblem {
  return new CommandProblem(`Gatehouse answered ${status}: ${printable(String(detail))}`)
}

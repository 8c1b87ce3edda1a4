import type { Api } from '../../kernel/contract/api.ts'
import {
  approveDeviceSignIn,
  denyDeviceSignIn,
  findDeviceSignIn,
  pollDeviceSignIn,
  startDeviceSignIn,
} from './contract.ts'
import type { DeviceSignIns } from './service.ts'

export function deviceSignInRoutes(api: Api, devices: DeviceSignIns): void {
  api.serve(startDeviceSignIn, ({ body, address, requestId }) => devices.start(body, { address, requestId }))
  api.serve(pollDeviceSignIn, async ({ body, requestId }) => {
    const { secret, expiresIn, scopes, deploymentId } = await devices.poll(body.device_code, { requestId })
    return {
      access_token: secret,
      token_type: 'Bearer' as const,
      expires_in: expiresIn,
      scope: scopes.join(' '),
      deployment_id: String(deploymentId),
    }
  })
  api.serve(findDeviceSignIn, async ({ actor, body, address }) => ({
    signIn: await devices.find(actor, body.userCode, address),
  }))
  api.serve(approveDeviceSignIn, async ({ actor, body, address }) => {
    await devices.approve(actor, body, address)
    return { approved: true }
  })
  api.serve(denyDeviceSignIn, async ({ actor, body }) => {
    await devices.deny(actor, body.userCode)
    return { denied: true }
  })
}

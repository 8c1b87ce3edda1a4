import { hkdfSync } from 'node:crypto'

/**
 * The key of a deployment that the identity of secrets is made with: always the same, so that a secret is known again, and
 * another one in each deployment, so that nobody can tell by its findings what secrets another one has.
 */
export function createIdentityKeys(masterKey: Buffer): (deploymentId: number) => Uint8Array {
  return (deploymentId) =>
    new Uint8Array(hkdfSync('sha256', masterKey, '', `gatehouse/v1/finding-identity/${deploymentId}`, 32))
}

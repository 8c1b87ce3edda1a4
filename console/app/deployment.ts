import { createContext, useContext } from 'react'
import type { Permission, Role } from '../../src/kernel/access/permission.ts'
import { leastRole } from '../api/operations.ts'
import type { Deployment } from '../api/session.ts'

export const DeploymentContext = createContext<Deployment | undefined>(undefined)

/** The deployment that is open. Everything below `/d/:slug` has one. */
export function useDeployment(): Deployment {
  const deployment = useContext(DeploymentContext)
  if (!deployment) throw new Error('There is no deployment here.')
  return deployment
}

/** The path of a page of the open deployment. */
export function usePathTo(): (path?: string) => string {
  const { slug } = useDeployment()
  return (path = '') => `/d/${slug}${path && `/${path}`}`
}

/** Whether the person may do it here; if not, which role it takes. */
export function useMay(permission: Permission): { may: boolean; why: string | undefined } {
  const deployment = useDeployment()
  const may = deployment.permissions.includes(permission)
  const role: Role = leastRole[permission]
  return { may, why: may ? undefined : `This takes the role ${role}. Yours is ${deployment.role}.` }
}

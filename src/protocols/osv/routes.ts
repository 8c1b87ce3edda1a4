import type { TObject, TSchema } from 'typebox'
import type { Api } from '../../kernel/contract/api.ts'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { getAdvisory, queryAdvisories, queryAdvisoriesBatch } from './contract.ts'
import type { createOsv } from './osv.ts'

/** `isOpen`: for whoever reaches the server, without a token, because the operator says so. */
export function osvRoutes(api: Api, osv: ReturnType<typeof createOsv>, isOpen: boolean): void {
  const served = isOpen ? withoutToken : asItIs
  api.serve(served(queryAdvisories), ({ body }) => osv.query(body))
  api.serve(served(queryAdvisoriesBatch), ({ body }) => osv.batch(body.queries))
  api.serve(served(getAdvisory), ({ params }) => osv.get(params.advisoryId))
}

const asItIs = <E>(contract: E): E => contract

function withoutToken<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema>(
  contract: Endpoint<P, Q, B, R>,
): Endpoint<P, Q, B, R> {
  return { ...contract, security: 'none', permission: 'anyone' }
}

import type { Api } from '../../../kernel/contract/api.ts'
import { pageRequest } from '../../../kernel/contract/pagination.ts'
import type { createEvidence } from './evidence.ts'
import {
  askForException,
  decideException,
  endException,
  getException,
  getExceptionEvidence,
  getExceptionSettings,
  getRefusedPackage,
  listExceptions,
  putExceptionSettings,
} from './exception-contract.ts'
import type { createExceptionSettings } from './exception-settings.ts'
import type { Exceptions } from './exceptions.ts'

type Parts = {
  exceptions: Exceptions
  evidence: ReturnType<typeof createEvidence>
  settings: ReturnType<typeof createExceptionSettings>
  /** Whether there is a mail server that people can be told by. */
  byMail: boolean
}

export function exceptionRoutes(api: Api, { exceptions, evidence, settings, byMail }: Parts): void {
  api.serve(askForException, async ({ actor, body }) => ({ exception: await exceptions.ask(actor, body), byMail }))
  api.serve(listExceptions, ({ actor, query }) => exceptions.list(actor, pageRequest(query), query))
  api.serve(getException, async ({ actor, params }) => ({ exception: await exceptions.get(actor, params.exceptionId) }))
  api.serve(getExceptionEvidence, ({ actor, params }) => evidence(actor, params.exceptionId))
  api.serve(decideException, async ({ actor, params, body }) => ({
    exception: await exceptions.decide(actor, params.exceptionId, body),
  }))
  api.serve(endException, async ({ actor, params, body }) => ({
    exception: await exceptions.end(actor, params.exceptionId, body.reason),
  }))
  api.serve(getRefusedPackage, ({ actor, query }) => exceptions.refused(actor, query))
  api.serve(getExceptionSettings, ({ actor }) => settings.get(actor))
  api.serve(putExceptionSettings, ({ actor, body }) => settings.put(actor, body))
}

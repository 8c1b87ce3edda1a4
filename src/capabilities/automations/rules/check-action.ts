import type { FieldError } from '../../../kernel/contract/fault.ts'
import { signingKeyProblem } from '../actions/signature.ts'
import { webhookUrlProblem } from '../actions/webhook-url.ts'
import type { ActionType, SentAction, SentConfig } from '../automation.ts'

type Field = keyof SentConfig

/** What each type of action needs and takes. */
const fieldsOf: Record<ActionType, { needs: Field[]; takes: Field[] }> = {
  ACTION_TYPE_BLOCK: { needs: [], takes: [] },
  ACTION_TYPE_TRIAGE: { needs: ['triageState'], takes: ['triageReason'] },
  ACTION_TYPE_WEBHOOK: { needs: ['url', 'secret'], takes: [] },
  ACTION_TYPE_EMAIL: { needs: ['to'], takes: [] },
  ACTION_TYPE_TICKET: { needs: [], takes: ['ticketingInstanceId'] },
  ACTION_TYPE_CHAT: { needs: ['channel'], takes: [] },
  ACTION_TYPE_CLOUDSEC: { needs: ['cloudsecCredentialId'], takes: [] },
}

/** What is wrong with an action as it was sent. Values that may be secrets are never quoted. */
export function actionErrors({ id, type, config = {} }: SentAction, pointer: string): FieldError[] {
  const { needs, takes } = fieldsOf[type]
  const sent = (Object.keys(config) as Field[]).filter((field) => config[field] !== undefined)
  const errors = sent
    .filter((field) => !needs.includes(field) && !takes.includes(field))
    .map((field) => ({ pointer: `${pointer}/config/${field}`, detail: `is not an option of ${type}` }))
  const keepsStored = type === 'ACTION_TYPE_WEBHOOK' && id !== undefined && !sent.some((field) => needs.includes(field))
  const missing = keepsStored ? [] : needs.filter((field) => !sent.includes(field))
  errors.push(...missing.map((field) => ({ pointer: `${pointer}/config`, detail: `needs ${field}` })))
  const problems = {
    url: config.url && webhookUrlProblem(config.url),
    secret: config.secret && signingKeyProblem(config.secret),
  }
  for (const [field, detail] of Object.entries(problems)) {
    if (detail) errors.push({ pointer: `${pointer}/config/${field}`, detail })
  }
  return errors
}

import { Fault, type FaultCode } from '../../../kernel/contract/fault.ts'

/** RFC 7644 §3.12, table 9. */
export type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability' | 'uniqueness'

/** A refusal with the word that directories know it by. */
export class ScimFault extends Fault {
  readonly scimType: ScimType

  constructor(scimType: ScimType, message: string, code: FaultCode = 'validation_failed') {
    super(code, message)
    this.scimType = scimType
  }
}

export function taken(message: string): ScimFault {
  return new ScimFault('uniqueness', message, 'conflict')
}

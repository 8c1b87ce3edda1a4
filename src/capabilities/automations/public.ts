export { signedHeaders, signingKeyProblem } from './actions/signature.ts'
export { originOf, webhookUrlProblem } from './actions/webhook-url.ts'

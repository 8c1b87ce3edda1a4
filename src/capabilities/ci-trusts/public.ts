export { createIssuerKeys, type IssuerKeys, IssuerProblem } from './exchange/issuer-keys.ts'

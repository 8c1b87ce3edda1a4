export type { PasskeyProof, Proof, SecondStep, Step } from './proof.ts'
export { mustSetUpFactor, type Requirement, requirements } from './requirement.ts'

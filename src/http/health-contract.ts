import Type from 'typebox'
import { endpoint } from '../kernel/contract/endpoint.ts'
import { OneOf } from '../kernel/contract/schema.ts'

const common = {
  tag: 'Health',
  stability: 'stable',
  security: 'none',
  permission: 'anyone',
  method: 'GET',
  params: Type.Object({}),
} as const

export const getHealth = endpoint({
  ...common,
  id: 'getHealth',
  summary: 'Is the process alive',
  description: '200 as long as the process answers at all. It looks at nothing else.',
  path: '/api/health-check',
  response: Type.Object({ status: OneOf(['alive'], 'Always alive') }),
  faults: [],
})

export const getReadiness = endpoint({
  ...common,
  id: 'getReadiness',
  summary: 'Can the process serve requests',
  description:
    '503 until the process has loaded the advisories that the database has, while the database is away, and when the process is shutting down. It does not wait for feeds that never came in: the state of the firewall says whether one is missing.',
  path: '/api/readiness-check',
  response: Type.Object({ status: OneOf(['ready'], 'Always ready') }),
  faults: ['unavailable'],
})
